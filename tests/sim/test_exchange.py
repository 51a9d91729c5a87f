"""Simulated memory is not handed to other libraries, and gpukit's own tensors pass."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit


def test_simulated_memory_is_refused():
    x = gpukit.ones(3, device="cuda:1")
    assert x.__dlpack_device__() == (2, 1)
    with pytest.raises(BufferError, match=r"simulated.*\.cpu\(\)"):
        x.__dlpack__()
    with pytest.raises(BufferError, match=r"simulated.*\.cpu\(\)"):
        np.from_dlpack(x)
    with pytest.raises(AttributeError, match=r"simulated.*\.cpu\(\)"):
        _ = x.__cuda_array_interface__
    assert not hasattr(x, "__cuda_array_interface__")


def test_copy_to_the_cpu_is_possible():
    x = gpukit.arange(3.0, device="cuda:0")
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    capsule = x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))
    assert gpukit.from_dlpack(capsule).tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="copy=False"):
        x.__dlpack__(dl_device=(1, 0), copy=False)


def test_own_tensors_pass():
    x = gpukit.ones(3, device="cuda:0")
    assert gpukit.from_dlpack(x) is x
    y = gpukit.from_dlpack(x, device="cuda:1")
    assert str(y.device) == "cuda:1"
    assert gpukit.from_dlpack(np.ones(2), device="cuda:0").is_cuda
    with pytest.raises(BufferError, match="copy=False"):
        gpukit.from_dlpack(x, device="cpu", copy=False)


class Foreign:
    """An array of a library that uses the real driver."""

    __cuda_array_interface__ = {
        "shape": (2,),
        "typestr": "<f4",
        "data": (1 << 40, False),
        "version": 3,
    }

    def __dlpack__(self, **_: object) -> object:
        raise AssertionError("the producer was asked although its memory cannot be reached")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


class OnlyInterface:
    """The same without DLPack."""

    __cuda_array_interface__ = Foreign.__cuda_array_interface__


def test_real_memory_does_not_come_into_a_simulation():
    with pytest.raises(BufferError, match="simulated"):
        gpukit.from_dlpack(Foreign())
    with pytest.raises(BufferError, match="simulated"):
        gpukit.as_tensor(OnlyInterface())

"""TensorFlow's words on a machine without a GPU: an empty list whose [0] says why."""

from __future__ import annotations

import pytest

import gpukit


def test_the_first_of_no_gpus_says_why() -> None:
    gpus = gpukit.config.list_physical_devices("GPU")
    assert gpus == []
    assert repr(gpus) == "[]"
    assert isinstance(gpus, list)
    with pytest.raises(IndexError, match="no CUDA driver"):
        gpukit.config.set_memory_growth(gpus[0], True)

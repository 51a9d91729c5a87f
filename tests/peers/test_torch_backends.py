"""backends and utils.dlpack as programs for torch use them, in both libraries."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch

import gpukit
from gpukit.backends.cpu import _capability

MODULES = (gpukit, torch)


def test_capabilities_are_torchs_words() -> None:
    words = [m.backends.cpu.get_cpu_capability() for m in MODULES]
    assert words[0] in {"AVX512", "AVX2", "NO AVX", "DEFAULT"}
    assert words[0] == words[1] or gpukit.info().cpu_simd == "baseline"
    levels = ("amx", "avx512bf16", "avx512", "avx2", "baseline", "neon")
    machines = ("x86_64",) * 5 + ("aarch64",)
    found = [_capability(*each) for each in zip(levels, machines, strict=True)]
    assert found == ["AVX512"] * 3 + ["AVX2", "NO AVX", "DEFAULT"]


@pytest.mark.parametrize("name", ["mkl", "mkldnn", "openmp"])
def test_what_gpukit_is_not_built_with(name: str) -> None:
    for m in MODULES:
        assert isinstance(getattr(m.backends, name).is_available(), bool)
    assert not getattr(gpukit.backends, name).is_available()


@pytest.mark.filterwarnings("ignore:TF32 acceleration:UserWarning")  # torch's, without Intel's GPUs
def test_flags_of_mkldnn() -> None:
    for m in MODULES:
        mkldnn = m.backends.mkldnn
        assert mkldnn.enabled
        with mkldnn.flags(enabled=False):
            assert not mkldnn.enabled
        assert mkldnn.enabled
        with mkldnn.flags(enabled=False, deterministic=True):
            assert mkldnn.deterministic
        assert (mkldnn.enabled, mkldnn.deterministic) == (True, False)
        assert mkldnn.set_flags(_enabled=True)[:2] == (True, False)
    gpukit.backends.mkldnn.enabled = False
    assert gpukit.backends.mkldnn.set_flags(True)[0] is False
    assert gpukit.backends.mkldnn.enabled


def test_capsules_go_between_the_libraries() -> None:
    ours, theirs = (importlib.import_module(f"{m.__name__}.utils.dlpack") for m in MODULES)
    x, y = gpukit.arange(4.0), torch.arange(3)
    seen = theirs.from_dlpack(ours.to_dlpack(x))
    seen[0] = 7.0
    assert x[0].item() == 7.0
    back = ours.from_dlpack(theirs.to_dlpack(y))
    np.testing.assert_array_equal(back.numpy(), y.numpy())
    assert ours.from_dlpack(np.ones(2)).tolist() == [1.0, 1.0]
    assert list(ours.DLDeviceType) == list(theirs.DLDeviceType)
    with pytest.raises(TypeError, match="to_dlpack: tensor must be a Tensor, got 3"):
        ours.to_dlpack(3)

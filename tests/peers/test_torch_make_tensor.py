"""testing.make_tensor beside torch's: dtypes, ranges, strides and classes of errors."""

from __future__ import annotations

import pytest
import torch

import gpukit

DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"
MODULES = (gpukit, torch)
REFUSED = [
    {"dtype": "int64", "requires_grad": True},
    {"dtype": "float32", "low": 2.0, "high": 1.0},
    {"dtype": "int32", "low": 1, "high": 1},
    {"dtype": "float32", "low": float("nan")},
    {"dtype": "uint8", "low": 300, "high": 400},
    {"dtype": "int8", "low": -400, "high": -300},
    {"dtype": "float32", "noncontiguous": True, "memory_format": "channels_last"},
    {},
]


def made(m, *shape, **keywords):
    given = {k: getattr(m, v) if isinstance(v, str) else v for k, v in keywords.items()}
    return m.testing.make_tensor(*shape, device="cpu", **given)


@pytest.mark.parametrize("dtype", DTYPES.split())
def test_shapes_dtypes_and_ranges(dtype):
    for keywords in ({}, {"low": -2, "high": 5}, {"low": 0.5}, {"low": -1e5, "high": 1e5}):
        ends = []
        for m in MODULES:
            m.manual_seed(3)
            x = made(m, 60, 50, dtype=dtype, **keywords)
            assert tuple(x.shape) == (60, 50)
            assert x.dtype is getattr(m, dtype)
            real = m.view_as_real(x) if x.is_complex() else x
            ends.append((real.double().min().item(), real.double().max().item()))
        width = max(ends[1][1] - ends[1][0], 1.0)
        exact = 0 if (width < 300 and "int" in dtype) or dtype == "bool" else 0.02 * width
        assert ends[0][0] == pytest.approx(ends[1][0], abs=exact)
        assert ends[0][1] == pytest.approx(ends[1][1], abs=exact)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_the_widest_range(dtype):
    x = made(gpukit, 1000, dtype=dtype, low=-float("inf"), high=float("inf"))
    real = gpukit.view_as_real(x) if x.is_complex() else x
    assert gpukit.isfinite(real).all()
    assert len(real.unique()) > 500


@pytest.mark.parametrize("keywords", [{"noncontiguous": True}, {"memory_format": "channels_last"}])
def test_strides(keywords):
    for shape in ((2, 3, 4, 5), [[2, 3, 4, 5]], (1, 1, 1, 1)):
        ours, theirs = (made(m, *shape, dtype="float32", **keywords) for m in MODULES)
        assert tuple(ours.shape) == tuple(theirs.shape)
        assert ours.stride() == theirs.stride()
        assert ours.storage_offset() == theirs.storage_offset()


def test_shapes():
    for shape in ((), (0,), (3,), ([2, 2],), ((),)):
        ours, theirs = (made(m, *shape, dtype="float32") for m in MODULES)
        assert tuple(ours.shape) == tuple(theirs.shape)


@pytest.mark.parametrize("dtype", ["int8", "bool", "float16", "float32", "complex64"])
def test_exclude_zero(dtype):
    values = {"low": 0, "high": 2} if dtype in {"int8", "bool"} else {"low": 0.0, "high": 1e-45}
    for m in MODULES:
        x = made(m, 100, dtype=dtype, exclude_zero=True, **values)
        assert bool((x != 0).all())


def test_requires_grad():
    for m in MODULES:
        x = made(m, 3, dtype="float64", requires_grad=True)
        assert (x.requires_grad, x.is_leaf) == (True, True)


@pytest.mark.parametrize("keywords", REFUSED)
def test_errors_are_of_torchs_classes(keywords):
    caught = []
    for m in MODULES:
        with pytest.raises(Exception) as error:
            made(m, 2, 2, 2, 2, **keywords)
        caught.append(error.value)
    assert isinstance(caught[0], type(caught[1])), caught

"""Running maxima, minima and sums of exponentials, nanmedian and triangles beside torch."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

NAN, INF = float("nan"), float("inf")
SPECIAL = [[1.0, NAN, 3.0, 3.0, INF], [-INF, -INF, 2.0, NAN, 1.0], [NAN, NAN, NAN, NAN, NAN]]


def listed(tensor: Any) -> str:
    return repr(tensor.tolist())


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_running_extremes(name: str, dim: int) -> None:
    ties = np.random.default_rng(0).integers(0, 3, (7, 6))
    for array in (ties, ties > 1, ties.astype("float32"), np.array(SPECIAL), ties[:0], ties[:1]):
        want = getattr(torch, name)(torch.tensor(array), dim)
        got = getattr(gpukit, name)(gpukit.tensor(array), dim)
        assert type(got).__name__ == type(want).__name__
        assert [listed(part) for part in got] == [listed(part) for part in want]


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_running_logarithms(dim: int, dtype: str) -> None:
    large = np.random.default_rng(1).normal(0, 400, (9, 33)).astype(dtype)
    for array in (large, np.array(SPECIAL, dtype), large[:, :0]):
        want = torch.logcumsumexp(torch.tensor(array), dim).numpy()
        got = gpukit.logcumsumexp(gpukit.tensor(array), dim).numpy()
        np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("dim", [None, 0, 1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_medians_without_nan(dim: int | None, keepdim: bool) -> None:
    rng = np.random.default_rng(2)
    numbers = rng.permutation(42).reshape(6, 7).astype("float64")
    numbers[rng.random((6, 7)) < 0.4] = NAN
    for array in (numbers, np.arange(12).reshape(3, 4)):
        arguments = () if dim is None else (dim, keepdim)
        want = torch.nanmedian(torch.tensor(array), *arguments)
        got = gpukit.nanmedian(gpukit.tensor(array), *arguments)
        parts = [(got, want)] if dim is None else list(zip(got, want, strict=True))
        assert all(listed(mine) == listed(theirs) for mine, theirs in parts)


def test_medians_of_nothing_but_nan() -> None:
    x = gpukit.full((2, 3), NAN)
    assert listed(x.nanmedian()) == "nan"
    assert listed(gpukit.nanmedian(x, 1).values) == "[nan, nan]"
    assert listed(gpukit.ones(0).nanmedian()) == "nan"


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_indices_of_triangles(name: str) -> None:
    for row, col, offset in itertools.product([0, 1, 3, 5], [0, 2, 4], [-7, -1, 0, 2]):
        want = getattr(torch, name)(row, col, offset)
        got = getattr(gpukit, name)(row, col, offset)
        assert (got.tolist(), tuple(got.shape)) == (want.tolist(), tuple(want.shape))
    assert getattr(gpukit, name)(2, 2, dtype=gpukit.int32).dtype is gpukit.int32


WRONG = """
xp.cummax(xp.ones(2), 1)
xp.cummax(xp.ones(2, dtype=xp.complex64), 0)
xp.logcumsumexp(xp.ones(2, dtype=xp.int64), 0)
xp.nanmedian(xp.ones(2, 0), 1)
xp.tril_indices(-1, 2)
xp.triu_indices(2, 2, dtype=xp.float32)
""".strip().splitlines()


@pytest.mark.parametrize("text", WRONG)
def test_refused_as_in_torch(text: str) -> None:
    for xp in (torch, gpukit):
        with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
            eval(text, {"xp": xp})


def test_out_takes_both_results(device: str) -> None:
    x = gpukit.tensor([3.0, 1.0, 4.0], device=device)
    values, indices = gpukit.empty_like(x), gpukit.empty(3, dtype=gpukit.int64, device=device)
    assert gpukit.cummax(x, 0, out=(values, indices)).values is values
    assert (values.tolist(), indices.tolist()) == ([3, 3, 4], [0, 0, 2])
    assert x.cummin(0).values.tolist() == [3, 1, 1]
    assert gpukit.tril_indices(2, 2, device=device).device == x.device

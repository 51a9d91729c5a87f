"""Counts, order statistics, covariances, products of sequences, and grids, beside torch or NumPy.

`peers.torch_samples` compares values and derivatives over torch's own samples; here are the
special numbers, the forms without derivatives, the dtypes and what is refused.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

NAN, INF = float("nan"), float("inf")
TIES = np.random.default_rng(0).integers(0, 4, (7, 9))
SPECIAL = np.array([[1.0, NAN, 3.0, 3.0, INF], [-INF, -INF, 2.0, NAN, 1.0], [NAN] * 5])


def listed(result: Any) -> str:
    """Values, shapes and dtypes."""
    if isinstance(result, (torch.Tensor, gpukit.Tensor)):
        dtype = str(result.dtype).partition(".")[2]
        return f"{dtype} {tuple(result.shape)} {result.tolist()!r}"
    return repr([listed(part) for part in result])


def both(text: str, **arrays: Any) -> None:
    """The same text in both libraries gives the same numbers."""
    shown = []
    for xp in (torch, gpukit):
        names = {name: xp.tensor(array) for name, array in arrays.items()}
        shown.append(listed(eval(text, {"xp": xp, **names})))
    assert shown[0] == shown[1], text


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_modes_and_kth_values(dim: int, keepdim: bool) -> None:
    finite = np.nan_to_num(SPECIAL, nan=2)  # where torch puts NaN depends on its neighbours
    for array in (TIES, TIES.astype("float32"), finite, TIES[:, :1], TIES[:1]):
        both(f"x.mode({dim}, {keepdim})", x=array)
    numbers = np.random.default_rng(1).permutation(63).reshape(7, 9).astype("float32")
    for k in (1, 3, 7):
        both(f"x.kthvalue({k}, {dim}, keepdim={keepdim})", x=numbers)
    both(f"x.kthvalue(5, 1, keepdim={keepdim}).values", x=SPECIAL)


def test_modes_of_one_number_and_of_bools() -> None:
    both("(xp.mode(x), xp.kthvalue(x, 1))", x=3.0)
    both("xp.mode(x)", x=[True, False, True])
    assert gpukit.mode(gpukit.tensor([NAN, NAN, 2.0])).values.item() == 2  # each NaN is another


@pytest.mark.parametrize("arguments", ["", "3", "bins=5, min=-1, max=2", "4, 1, 1", "2, 0, 1000"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_in_bins(arguments: str, dtype: str) -> None:
    drawn = np.random.default_rng(2).normal(0, 1, 1000).astype(dtype)
    for array in (drawn, drawn[:0], drawn[:1], TIES.astype(dtype)):
        both(f"xp.histc(x, {arguments})", x=array)
    both("x.histc(4, 0, 4)", x=SPECIAL)


def test_places_between_boundaries() -> None:
    for options in ("", "right=True", "out_int32=True"):
        both(f"xp.bucketize(x, b, {options})", x=SPECIAL, b=np.array([0.0, 1.0, 2.0, 3.0]))
        both(f"xp.bucketize(2, b, {options})", b=[1, 2, 3])


def test_runs_of_equal_elements() -> None:
    for array in (np.sort(TIES.ravel()), TIES, SPECIAL, np.zeros(0), np.array(3), TIES > 1):
        for inverse, counts in itertools.product([False, True], repeat=2):
            options = f"return_inverse={inverse}, return_counts={counts}"  # torch needs names
            both(f"xp.unique_consecutive(x, {options})", x=array)
    rows = TIES[[0, 0, 1, 0, 2, 2, 2]]
    both("x.unique_consecutive(return_inverse=True, return_counts=True, dim=0)", x=rows)
    both("x.unique_consecutive(return_inverse=True, return_counts=True, dim=1)", x=rows.T.copy())


def close(got: Any, want: Any, rtol: float = 1e-5) -> None:
    assert got.shape == tuple(want.shape)
    assert str(got.dtype).partition(".")[2] == str(want.dtype).partition(".")[2]
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol, 1e-6)


WEIGHTS = {"fweights": np.arange(1, 10), "aweights": np.linspace(0.1, 1, 9).astype("float32")}


@pytest.mark.parametrize("chosen", [[], ["fweights"], ["aweights"], ["fweights", "aweights"]])
@pytest.mark.parametrize("correction", [0, 1, 3])
def test_covariances(chosen: list[str], correction: int) -> None:
    drawn = np.random.default_rng(3).normal(size=(4, 9)).astype("float32")
    for array in (drawn, drawn[0], TIES, drawn[:2] + 1j * drawn[2:]):
        want = torch.cov(
            torch.tensor(array),
            correction=correction,
            **{name: torch.tensor(WEIGHTS[name]) for name in chosen},
        )
        got = gpukit.cov(
            gpukit.tensor(array),
            correction=correction,
            **{name: gpukit.tensor(WEIGHTS[name]) for name in chosen},
        )
        close(got, want)
        if not chosen:
            close(gpukit.corrcoef(gpukit.tensor(array)), torch.corrcoef(torch.tensor(array)))


def test_covariances_of_little() -> None:
    for array in (np.zeros((2, 0)), np.zeros((0, 2)), np.zeros(0), np.array(3.0), np.ones((2, 2))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both("(xp.cov(x), xp.corrcoef(x))", x=array)


def test_kronecker_products_steps_and_angles() -> None:
    both("xp.kron(x, y)", x=[[1, 2], [3, 4]], y=[0.5, 1.0])
    both("xp.kron(x, y)", x=3, y=np.zeros((2, 0)))
    both("xp.heaviside(x, y)", x=SPECIAL, y=np.full(5, 7.0))
    both("xp.heaviside(x, y)", x=[-2, 0, 5], y=[9])
    both("(x.clone().heaviside_(y), xp.heaviside(x.bool(), y.bool()))", x=[0.0, -2.0], y=[9.0])
    for dtype in ("float32", "float64", "float16", "int64", "bool"):
        both("(xp.deg2rad(x), xp.rad2deg(x))", x=np.array([-180, 0, 1, 90], dtype))
    both("(x.clone().deg2rad_(), x.clone().rad2deg_())", x=[30.0, 60.0])
    both("(xp.msort(x), xp.msort(x[0, 0]))", x=SPECIAL)
    x = gpukit.ones(2, requires_grad=True)
    assert not gpukit.heaviside(x, x).requires_grad


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "complex128", "bool"])
def test_convolutions_of_sequences_beside_numpy(mode: str, kind: str, device: str) -> None:
    rng = np.random.default_rng(4)
    for n, m in itertools.product([1, 2, 3, 7, 8], repeat=2):
        a, v = (rng.integers(-3, 4, size).astype(kind) for size in (n, m))
        got = gpukit.convolve(*(gpukit.tensor(x, device=device) for x in (a, v)), mode)
        want = np.convolve(a, v, mode)
        assert got.dtype.name == kind
        np.testing.assert_allclose(got.cpu().numpy(), want, 1e-6)


def test_a_convolution_has_derivatives() -> None:
    a = gpukit.randn(6, dtype=gpukit.float64, requires_grad=True)
    v = gpukit.randn(4, dtype=gpukit.float64, requires_grad=True)
    for mode in ("full", "same", "valid"):
        assert gpukit.autograd.gradgradcheck(lambda a, v, m=mode: gpukit.convolve(a, v, m), (a, v))


WRONG = """
xp.histc(xp.ones(2, dtype=xp.int64))
xp.histc(xp.tensor([1.0, float("inf")]))
xp.histc(xp.ones(2), 3, 5, 1)
xp.histc(xp.ones(2), 0)
xp.kthvalue(xp.ones(2), 3)
xp.kthvalue(xp.ones(2), 0)
xp.kthvalue(xp.ones(2, dtype=xp.complex64), 1)
xp.mode(xp.ones(2, 0))
xp.mode(xp.ones(2), 1)
xp.bucketize(xp.ones(2), xp.ones(2, 2))
xp.cov(xp.ones(2, 2, 2))
xp.cov(xp.ones(2, dtype=xp.bool))
xp.cov(xp.ones(2), fweights=xp.ones(2))
xp.cov(xp.ones(2), aweights=xp.ones(3))
xp.cov(xp.ones(2), fweights=xp.tensor([-1, 2]))
xp.cov(xp.ones(2), aweights=xp.zeros(2))
xp.heaviside(xp.ones(2), xp.ones(2, dtype=xp.int64))
xp.heaviside(xp.ones(2), 1.0)
xp.deg2rad(xp.ones(2, dtype=xp.complex64))
xp.ones(2, dtype=xp.int64).rad2deg_()
xp.nn.functional.affine_grid(xp.ones(1, 2, 2), (1, 1, 2, 2), False)
xp.nn.functional.affine_grid(xp.ones(1, 2, 3), (1, 1, 0, 2), False)
xp.nn.functional.affine_grid(xp.ones(1, 2, 3, dtype=xp.int64), (1, 1, 2, 2), False)
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 2), xp.ones(2, 2, 2, 2), align_corners=False)
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 2), xp.ones(1, 2, 2, 3), align_corners=False)
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 0), xp.ones(1, 2, 2, 2), align_corners=False)
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 2), xp.ones(1, 2, 2, 2).double(), align_corners=False)
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 2), xp.ones(1, 2, 2, 2), "cubic")
xp.nn.functional.grid_sample(xp.ones(1, 1, 2, 2), xp.ones(1, 2, 2, 2), padding_mode="wrap")
""".strip().splitlines()


@pytest.mark.parametrize("text", WRONG)
def test_refused_as_in_torch(text: str) -> None:
    for xp in (torch, gpukit):
        with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
            eval(text, {"xp": xp})


def test_sequences_that_cannot_be_convolved() -> None:
    for a, v in (([1, 2], []), ([[1, 2]], [1])):
        with pytest.raises(gpukit.ShapeError, match="one dimension with elements"):
            gpukit.convolve(gpukit.tensor(a), gpukit.tensor(v))
    with pytest.raises(ValueError, match="'full', 'same' or 'valid', got 'outer'"):
        gpukit.convolve(gpukit.ones(2), gpukit.ones(2), "outer")


SIZES = [(2, 3, 4, 5), (1, 2, 1, 3), (2, 1, 2, 3, 4)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("aligned", [False, True])
def test_grids_of_affine_maps(size: tuple[int, ...], aligned: bool) -> None:
    rank = len(size) - 2
    theta = np.random.default_rng(5).normal(size=(size[0], rank, rank + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one pixel between two corners
        want = torch.nn.functional.affine_grid(torch.tensor(theta), list(size), aligned)
    close(gpukit.nn.functional.affine_grid(gpukit.tensor(theta), size, aligned), want, 1e-12)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [False, True])
def test_images_read_at_positions(mode: str, padding: str, aligned: bool, device: str) -> None:
    rng = np.random.default_rng(6)
    for size in SIZES[: 2 if mode == "bicubic" else 3]:
        image = rng.normal(size=size)
        grid = rng.uniform(-2.5, 2.5, (size[0], *([6] * (len(size) - 2)), len(size) - 2))
        options = {"mode": mode, "padding_mode": padding, "align_corners": aligned}
        arrays = {}
        for xp in (torch, gpukit):
            where = {"device": device} if xp is gpukit else {}
            x, at = (xp.tensor(a, requires_grad=True, **where) for a in (image, grid))
            found = xp.nn.functional.grid_sample(x, at, **options)
            (found * found).sum().backward()
            slope = np.zeros_like(grid) if at.grad is None else at.grad.cpu().numpy()
            arrays[xp] = [found.detach().cpu().numpy(), x.grad.cpu().numpy(), slope]
        for got, want in zip(arrays[gpukit], arrays[torch], strict=True):
            np.testing.assert_allclose(got, want, 1e-9, 1e-9)


def test_the_meaning_of_corners_is_asked_for() -> None:
    with pytest.warns(UserWarning, match="align_corners"):
        gpukit.nn.functional.grid_sample(gpukit.ones(1, 1, 2, 2), gpukit.zeros(1, 1, 1, 2))
    assert gpukit.nn.functional.pdist(gpukit.tensor([[0.0], [1.0], [3.0]])).tolist() == [1, 3, 2]

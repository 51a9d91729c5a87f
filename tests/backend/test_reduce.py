"""Reductions over every choice of dimensions, beside NumPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gpukit
from support.arrays import (
    ALL,
    FLOATING,
    INTEGERS,
    NUMBERS,
    assert_near,
    assert_same,
    fetch,
    layouts,
    put,
    sample,
)

DIMS = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, -1), (0, 1, 2)]
SHAPE = (3, 4, 5)


def reference(function, x, dim, keepdim):
    """NumPy's answer; integer sums are int64 here."""
    return np.asarray(function(x, axis=dim, keepdims=keepdim))


def dims_of(dim):
    return range(3) if dim is None else (dim,) if isinstance(dim, int) else dim


@pytest.mark.parametrize("dim", DIMS)
def test_sum_and_mean(dim, device):
    for dtype, keepdim in itertools.product(FLOATING, (False, True)):
        x = sample(dtype, SHAPE)
        tensor = put(x, device)
        for name, function in (("sum", np.sum), ("mean", np.mean)):
            want = reference(function, x.astype(np.float64), dim, keepdim).astype(dtype)
            got = getattr(tensor, name)(dim, keepdim)
            assert got.dtype == tensor.dtype
            assert fetch(got).shape == want.shape
            tolerance = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
            assert_near(fetch(got), want, tolerance, f"{name} {dtype} {dim}")


@pytest.mark.parametrize("dim", DIMS)
def test_extremes_and_truth(dim, device):
    for dtype in ALL:
        x = sample(dtype, SHAPE)
        tensor = put(x, device)
        names = {"amax": np.max, "amin": np.min, "all": np.all, "any": np.any}
        for name, function in names.items():
            got = (
                getattr(gpukit, name)(tensor, dim=dim)
                if dim is not None
                else getattr(gpukit, name)(tensor)
            )
            assert_same(got, reference(function, x, dim, False), f"{name} {dtype} {dim}")


def test_integer_sums_and_products_have_64_bits(device):
    for dtype in ("bool", *INTEGERS):
        kept = np.uint64 if dtype == "uint64" else np.int64
        x = sample(dtype, SHAPE)
        tensor = put(x, device)
        assert_same(tensor.sum(1), x.sum(1, dtype=kept), dtype)
        small = np.where(x == 0, 1, x).astype(dtype) if dtype != "bool" else x
        assert_same(put(small, device).prod(2), small.prod(2, dtype=kept), dtype)
    assert_same(
        put(sample("int32"), device).sum(dtype="float64"), sample("int32").sum(dtype=np.float64)
    )
    assert_same(
        put(sample("int64"), device).sum(dtype="int32"), sample("int64").sum(dtype=np.int32)
    )
    assert_same(
        put(sample("int64"), device).mean(dtype="float32"), sample("int64").mean(dtype=np.float32)
    )


def test_prod_of_floating(device):
    x = (sample("float64", SHAPE) / 9 + 1.5).astype(np.float32)
    for dim in (None, 0, 2):
        want = reference(np.prod, x.astype(np.float64), dim, False)
        got = gpukit.prod(put(x, device)) if dim is None else gpukit.prod(put(x, device), dim)
        assert_near(fetch(got), want, 1e-5)


@pytest.mark.parametrize("dim", [None, 0, 1, 2, -1])
def test_places_of_extremes(dim, device):
    for dtype in ("float32", "int64", "uint8", "float16"):
        x = sample(dtype, SHAPE)
        x[1] = x[0]  # ties: the first place counts
        for name, function in (("argmax", np.argmax), ("argmin", np.argmin)):
            assert_same(
                getattr(put(x, device), name)(dim), function(x, axis=dim), f"{name} {dtype} {dim}"
            )
    x = sample("float32", (4, 6))
    assert_same(put(x, device).T.argmax(), np.argmax(x.T))
    assert_same(put(x, device)[::-1].argmin(0), np.argmin(x[::-1], axis=0))


def test_extremes_at_every_place_of_rows_of_many_lengths(device):
    # 8 vectors at a time, then single ones, then one that overlaps the one before it.
    lengths = (1, 15, 17, 127, 128, 129, 144, 145, 257, 1000) if device.type == "cpu" else (1, 129)
    for dtype, count in itertools.product(("float32", "float64", "int8", "int64"), lengths):
        x = gpukit.eye(count, device=device).to(dtype) * 2 - 1
        places = list(range(count))
        for values, at in (x.max(-1), (-x).min(-1)):
            assert at.tolist() == places
            assert values.abs().sum().item() == count
        assert gpukit.equal(x.amax(-1), gpukit.ones(count, dtype=x.dtype, device=device))
        if x.is_floating_point():
            missing = gpukit.where(x > 0, float("nan"), x)
            assert gpukit.isnan(missing.amax(-1)).all().item()
            assert gpukit.isnan(missing.amin(-1)).all().item()


def test_max_along_a_dimension_gives_places_too(device):
    x = sample("float32", SHAPE)
    tensor = put(x, device)
    for dim, keepdim in ((0, False), (2, True)):
        values, indices = tensor.max(dim, keepdim)
        assert_same(values, x.max(dim, keepdims=keepdim))
        assert_same(indices, np.argmax(x, dim, keepdims=keepdim))
        assert_same(gpukit.min(tensor, dim, keepdim).values, x.min(dim, keepdims=keepdim))
    assert_same(tensor.max(), x.max())


def test_not_a_number_wins(device):
    x = sample("float32", (3, 4))
    x[1, 2] = np.nan
    tensor = put(x, device)
    for name in ("max", "min", "sum", "mean", "norm"):
        assert math.isnan(getattr(tensor, name)().item()), name
    assert tensor.argmax().item() == tensor.argmin().item() == 6
    assert_same(gpukit.amax(tensor, 0), x.max(0))


def test_empty_sets(device):
    x = np.zeros((0, 3), np.float32)
    tensor = put(x, device)
    assert tensor.sum().item() == 0
    assert tensor.prod().item() == 1
    assert tensor.all().item() is True
    assert tensor.any().item() is False
    assert math.isnan(tensor.mean().item())
    assert_same(tensor.sum(0), x.sum(0))
    assert_same(tensor.sum(1), x.sum(1))
    assert_same(tensor.norm(), np.float32(0))
    assert gpukit.amax(tensor, 1).shape == (0,)
    for name in ("max", "min", "argmax"):
        with pytest.raises(gpukit.ShapeError, match=rf"{name}: X is \(0, 3\)"):
            getattr(tensor, name)()


def test_zero_d_and_layouts(device):
    x = put(np.float32(3), device)
    for name in ("sum", "mean", "max", "min", "norm", "prod"):
        assert getattr(x, name)().item() == 3, name
    assert x.argmax().item() == 0
    assert x.sum(0).item() == x.sum(-1).item() == 3
    for layout, array, tensor in layouts(sample("float32", (4, 6)), device):
        assert_near(fetch(tensor.sum()), array.sum(), 1e-5, layout)
        assert_same(tensor.any(), array.any(), layout)
        if array.ndim == 2 and array.size:
            assert_same(gpukit.amax(tensor, 0), array.max(0), layout)
            assert_same(gpukit.amin(tensor, 1), array.min(1), layout)
    expanded = put(np.float32([1, 2, 3]), device).expand(4, 3)
    assert fetch(expanded.sum(0)).tolist() == [4, 8, 12]
    assert expanded.sum().item() == 24


def test_many_elements_keep_their_accuracy(device):
    x = np.full(100_003, 0.1, dtype=np.float32)
    assert put(x, device).sum().item() == pytest.approx(10000.3, rel=1e-6)
    assert put(x.astype(np.float16), device).sum().item() == pytest.approx(9997.856, rel=1e-3)
    wide = np.ones((3, 20_001), dtype=np.float32)
    assert fetch(put(wide, device).sum(1)).tolist() == [20001] * 3
    assert fetch(put(wide.T, device).sum(0)).tolist() == [20001] * 3


NORMS = [2, 1, math.inf, -math.inf, 0, 3, 0.5, "fro"]


@pytest.mark.parametrize("p", NORMS)
def test_norm(p, device):
    x = sample("float64", (4, 5))
    order = 2 if p == "fro" else p
    for dtype in ("float32", "float64"):
        tensor = put(x.astype(dtype), device)
        flat = np.linalg.norm(x.astype(dtype).astype(np.float64).ravel(), order)
        assert_near(fetch(gpukit.norm(tensor, p)), flat, 1e-5 if dtype == "float32" else 1e-12)
        rows = np.linalg.norm(x.astype(dtype).astype(np.float64), order, axis=1)
        got = gpukit.norm(tensor, p, dim=1)
        assert got.dtype == tensor.dtype
        assert_near(fetch(got), rows, 1e-5 if dtype == "float32" else 1e-12)
    assert gpukit.norm(tensor, p, dim=1, keepdim=True).shape == (4, 1)


@pytest.mark.parametrize("correction", [0, 1])
def test_variance(correction, device):
    for dtype in FLOATING:
        x = sample(dtype, SHAPE)
        tensor = put(x, device)
        for dim in (None, 0, (0, 2)):
            for name, function in (("var", np.var), ("std", np.std)):
                want = function(x.astype(np.float64), axis=dim, ddof=correction)
                got = getattr(tensor, name)(dim, correction=correction)
                assert got.dtype == tensor.dtype
                assert_near(
                    fetch(got),
                    want,
                    {"float16": 2e-3, "float32": 1e-5, "float64": 1e-12}[dtype],
                    f"{name} {dim}",
                )
    far = np.float32([10_000_000, 10_000_001, 10_000_002])
    assert put(far, device).var().item() == pytest.approx(1.0)


def test_softmax_family(device):
    x = sample("float64", (3, 4, 5)) * 20
    for dtype in ("float32", "float64", "float16"):
        array = x.astype(dtype)
        wide = array.astype(np.float64)
        for dim in (0, 1, -1):
            shifted = wide - wide.max(dim, keepdims=True)
            total = np.exp(shifted).sum(dim, keepdims=True)
            tolerance = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
            assert_near(
                fetch(gpukit.softmax(put(array, device), dim)),
                np.exp(shifted) / total,
                tolerance,
            )
            assert_near(
                fetch(gpukit.log_softmax(put(array, device), dim)),
                shifted - np.log(total),
                tolerance,
            )
            want = (np.log(total) + wide.max(dim, keepdims=True)).squeeze(dim)
            assert_near(fetch(gpukit.logsumexp(put(array, device), dim)), want, tolerance)
    infinite = put(np.array([[-np.inf, -np.inf], [np.inf, 1.0], [0.0, -np.inf]]), device)
    assert fetch(gpukit.logsumexp(infinite, 1)).tolist() == [-np.inf, np.inf, 0.0]


def test_cumsum(device):
    for dtype in ("float32", "float64", "int32", "bool"):
        x = sample(dtype, SHAPE)
        for dim in (0, 1, -1):
            want = x.cumsum(dim, dtype=np.int64 if dtype in ("int32", "bool") else dtype)
            got = gpukit.cumsum(put(x, device), dim)
            assert str(got.dtype).endswith(str(want.dtype))
            assert_near(fetch(got), want, 1e-5 if want.dtype.kind == "f" else 0, f"{dtype} {dim}")
    long = put(np.ones(5000, np.float32), device)
    assert fetch(gpukit.cumsum(long, 0)).tolist() == list(range(1, 5001))


def test_count_nonzero(device):
    for dtype in NUMBERS:
        x = sample(dtype, SHAPE).round()
        assert_same(gpukit.count_nonzero(put(x, device)), np.int64(np.count_nonzero(x)), dtype)
        assert_same(gpukit.count_nonzero(put(x, device), 1), np.count_nonzero(x, axis=1), dtype)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.sum((0, 0)), ValueError, ["sum", "dimension 0 is named twice"]),
        (lambda x: x.sum(3), IndexError, ["sum", "3"]),
        (lambda x: x.sum((0, -3)), IndexError, ["sum", "-3"]),
        (lambda x: x.long().mean(), gpukit.DTypeError, ["mean", "int64", "X.float().mean()"]),
        (lambda x: x.long().norm(), gpukit.DTypeError, ["norm", "int64"]),
        (lambda x: x.long().std(), gpukit.DTypeError, ["std", "int64"]),
        (lambda x: gpukit.cumsum(x, 2), IndexError, ["cumsum", "2"]),
    ],
)
def test_refusals(call, error, words, device):
    with pytest.raises(error) as caught:
        call(put(sample("float32"), device))
    for word in words:
        assert word in str(caught.value)


def test_running_results_have_the_dtype_asked_for(device):
    x = put(sample("int64", (4,)), device)
    for function, want in ((gpukit.cumsum, np.cumsum), (gpukit.cumprod, np.cumprod)):
        assert_same(function(x, 0, dtype=gpukit.int16), want(sample("int64", (4,)), dtype=np.int16))
        assert function(x, 0).dtype is gpukit.int64


@pytest.mark.parametrize("function", ["sum", "prod", "cumsum", "cumprod"])
@pytest.mark.parametrize("source", ["bool", "uint8", "int32", "float16", "float32", "float64"])
@pytest.mark.parametrize("target", ["uint8", "int8", "int64", "float16", "float32", "float64"])
def test_out_says_what_to_compute_in(device, function, source, target):
    data = np.array([[1, 0, 1], [1, 1, 0]]) if source == "bool" else [[1, 2, 3], [4, 5, 0]]
    x = gpukit.tensor(data, dtype=source, device=device)
    want = getattr(gpukit, function)(x.to(target), 1, dtype=target)
    out = gpukit.empty(want.shape, dtype=target, device=device)
    assert getattr(gpukit, function)(x, 1, out=out) is out
    assert out.dtype.name == target
    assert out.tolist() == want.tolist()


def test_sums_in_the_digits_of_out(device):
    ones = gpukit.ones(4000, dtype="float16", device=device)
    wide = gpukit.empty((), dtype="float32", device=device)
    assert gpukit.sum(ones * 0.1, out=wide).item() == pytest.approx(399.90234375)
    whole = gpukit.empty((), dtype="int64", device=device)
    halves = gpukit.tensor([0.5, 1.5, 2.5], device=device)
    assert gpukit.sum(halves, out=whole).item() == 3  # each is cut first
    assert gpukit.sum(halves, out=gpukit.empty((), dtype="bool", device=device)).item() is True


@pytest.mark.parametrize("target", ["int64", "bool", "float32", "float64"])
def test_out_takes_nothing_that_records_gradients(target):
    x = gpukit.ones(2, 3, requires_grad=True)
    for function in (gpukit.sum, gpukit.prod, gpukit.cumsum, gpukit.cumprod):
        shape = (2, 3) if function in (gpukit.cumsum, gpukit.cumprod) else (2,)
        out = gpukit.zeros(shape, dtype=target)
        with pytest.raises(gpukit.AutogradError, match="out= cannot be used"):
            function(x, 1, out=out)
        with gpukit.no_grad():
            function(x.detach(), 1, out=out)

"""uint16, uint32 and uint64 where the top bit is set: what a signed integer would get wrong."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.errors import DTypeError
from support.arrays import assert_same, fetch, put

UNSIGNED = ("uint16", "uint32", "uint64")


def large(dtype, *, seed=0, count=700):
    """All over the range, its ends and neighbours of the middle among them."""
    top = np.iinfo(dtype).max
    ends = [0, 1, 2, 3, top, top - 1, top // 2, top // 2 + 1, top // 2 + 2]
    values = np.random.default_rng(seed).integers(0, top, count, dtype=dtype, endpoint=True)
    values[: len(ends)] = ends
    return values


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize(
    "name",
    ["add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "less",
     "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor",
     "floor_divide", "remainder", "logical_and", "logical_xor"],
)  # fmt: skip
def test_two_operands(device, dtype, name):
    a, b = large(dtype), np.roll(large(dtype, seed=1), 3)
    b[b == 0] = 7
    want = getattr(np, name)(a, b)
    ours = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le"}
    ours |= {"greater": "gt", "greater_equal": "ge"}
    function = getattr(gpukit, ours.get(name, name))
    assert_same(function(put(a, device), put(b, device)), want)
    grid_a, grid_b = a[:600].reshape(20, 30), b[:600].reshape(30, 20)
    assert_same(
        function(put(grid_a, device), put(grid_b, device).T),
        getattr(np, name)(grid_a, grid_b.T),
    )
    number = int(b[11])
    assert_same(function(put(a, device), number), getattr(np, name)(a, b[11]))


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_shifts_and_powers(device, dtype):
    a = large(dtype)
    bits = a.itemsize * 8
    counts = (np.arange(a.size) % bits).astype(dtype)
    assert_same(put(a, device) << put(counts, device), a << counts)
    assert_same(put(a, device) >> put(counts, device), a >> counts)
    beyond = a[::-1] | np.array(1 << (bits - 1), dtype)
    assert_same(put(a, device) >> put(beyond, device), np.zeros_like(a))
    exponents = (np.arange(a.size) % 9).astype(dtype)
    assert_same(put(a, device) ** put(exponents, device), a**exponents)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_one_operand(device, dtype):
    a = large(dtype)
    x = put(a, device)
    for name in ("abs", "sign", "square", "floor", "round"):
        assert_same(getattr(gpukit, name)(x), getattr(np, name)(a), name)
    assert_same(gpukit.relu(x), a)
    assert_same(-x, -a)
    assert_same(~x, ~a)
    assert not fetch(gpukit.signbit(x)).any()
    assert fetch(gpukit.isfinite(x)).all()


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_reductions(device, dtype):
    a = large(dtype, count=600).reshape(20, 30)
    for array, x in ((a, put(a, device)), (a.T, put(a, device).T)):
        for name, numpy_name in (("amax", "max"), ("amin", "min")):
            for dim in (None, 0, 1):
                want = getattr(np, numpy_name)(array, axis=dim)
                dims = (0, 1) if dim is None else dim
                assert_same(getattr(gpukit, name)(x, dims), want, f"{name} {dim}")
        for name in ("argmax", "argmin"):
            for dim in (0, 1):
                assert_same(getattr(gpukit, name)(x, dim), getattr(np, name)(array, axis=dim))
        kept = np.uint64 if dtype == "uint64" else np.int64
        for dim in (0, 1):
            assert_same(x.sum(dim), array.sum(dim, dtype=kept))
            assert_same(x.sum(dim, dtype=gpukit.uint64), array.sum(dim, dtype=np.uint64))
            assert_same(x.prod(dim), array.prod(dim, dtype=kept))
            assert_same(x.cumsum(dim), array.cumsum(dim, dtype=kept))
        assert x.count_nonzero().item() == np.count_nonzero(array)
        assert bool(x.any()) and not bool(x.all())


def test_long_extremes_of_uint64(device):
    a = np.random.default_rng(5).integers(0, 2**64 - 2, 300_000, dtype=np.uint64)
    a[123_456], a[200_001] = 2**64 - 1, 0
    x = put(a, device)
    assert (x.max().item(), x.min().item()) == (2**64 - 1, 0)
    assert (x.argmax().item(), x.argmin().item()) == (123_456, 200_001)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_order(device, dtype):
    a = large(dtype, count=3000)
    x = put(a, device)
    assert_same(x.sort()[0], np.sort(a))
    assert_same(x.sort(descending=True)[0], np.sort(a)[::-1])
    assert_same(x.argsort(), np.argsort(a, kind="stable"))
    assert_same(x.unique(), np.unique(a))
    half = np.iinfo(dtype).max // 2
    assert_same(x.clamp(3, half + 9), np.clip(a, 3, half + 9).astype(dtype))
    assert_same(x.clamp(min=half), np.clip(a, half, None).astype(dtype))
    high = min(2**63 - 1, np.iinfo(dtype).max)
    assert_same(x.clamp(-5, high), np.clip(a, 0, high).astype(dtype))


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_conversions(device, dtype):
    a = large(dtype)
    x = put(a, device)
    for target in (
        "bool",
        "uint8",
        "int8",
        *UNSIGNED,
        "int16",
        "int32",
        "int64",
        "float32",
        "float64",
    ):
        assert_same(x.to(target), a.astype(target), target, tolerance=0)
    for source in ("bool", "uint8", "int8", "int16", "int32", "int64"):
        b = large("uint64").astype(source)
        assert_same(put(b, device).to(dtype), b.astype(dtype), source)
    for source in ("float16", "float32", "float64"):
        b = np.array([0, 0.9, 1, 2.5, 1000.0, 60000.0, -1.0], source)
        if source != "float16":
            b[5] = {2: 65535.0, 4: 2.0**31 + 512, 8: 2.0**63 + 2.0**50}[a.itemsize]
        want = [int(number) % (1 << 8 * a.itemsize) for number in b]
        assert fetch(put(b, device).to(dtype)).tolist() == want, source


def test_float_to_uint64_saturates(device):
    x = put(np.array([2.0**64, 1e30, np.inf, np.nan]), device)
    assert fetch(x.to("uint64")).tolist() == [2**64 - 1, 2**64 - 1, 2**64 - 1, 0]


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_where_gather_scatter_and_products(device, dtype):
    a = large(dtype, count=600).reshape(20, 30)
    x = put(a, device)
    assert_same(gpukit.where(x > 5, x, 7), np.where(a > 5, a, np.array(7, dtype)))
    places = np.array([3, 0, 19, 3])
    assert_same(x[put(places.astype(dtype), device)], a[places])
    assert_same(x @ x.T, a @ a.T)
    total = np.zeros((20, 30), dtype)
    np.add.at(total, places, a[:4])
    assert_same(gpukit.zeros_like(x).index_add_(0, put(places, device), x[:4]), total)
    assert_same(gpukit.tril(x), np.tril(a))
    assert_same(gpukit.cat([x, x], 1), np.concatenate([a, a], 1))


def test_numbers_beyond_int64(device):
    top = 2**64 - 1
    x = gpukit.full((3,), top, dtype="uint64", device=device)
    assert x.tolist() == [top] * 3 and x[0].item() == top and int(x[0]) == top
    assert f"{top}" in repr(x)
    assert float(x[0]) == 2.0**64
    x[1] = 2**63
    x -= 2**63
    assert x.tolist() == [2**63 - 1, 0, 2**63 - 1]
    x.fill_(top - 1)
    assert (x < top).all() and (x == top - 1).all() and not (x == top).any()
    assert (x > -1).all() and (x != -1).all() and not (x <= -1).any()
    assert (x + 1).tolist() == [top] * 3 and (2**63 + x).tolist() == [2**63 - 2] * 3
    assert gpukit.arange(2**63, 2**63 + 6, 2, dtype="uint64", device=device).tolist() == [
        2**63, 2**63 + 2, 2**63 + 4,
    ]  # fmt: skip
    assert gpukit.tensor([1, top], dtype="uint64", device=device).tolist() == [1, top]
    assert gpukit.tensor(np.uint64(top), dtype="uint64").item() == top


@pytest.mark.parametrize(
    "call",
    [
        lambda: gpukit.tensor([2**64], dtype="uint64"),
        lambda: gpukit.tensor([-1], dtype="uint64"),
        lambda: gpukit.tensor([2**63]),
        lambda: gpukit.full((2,), 2**63),
        lambda: gpukit.ones(2, dtype="int64") + 2**63,
        lambda: gpukit.ones(2, dtype="uint64") + 2**64,
        lambda: gpukit.tensor([-1.0 * 2**70], dtype="uint32"),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError, match="does not fit"):
        call()


def test_uint64_and_signed_integers_have_no_common_dtype():
    x = gpukit.ones(2, dtype="uint64")
    for dtype in ("int8", "int64"):
        with pytest.raises(DTypeError, match="no common integer dtype"):
            x + gpukit.ones(2, dtype=dtype)
    assert (x + gpukit.ones(2, dtype="uint8")).dtype is gpukit.uint64
    assert (x + gpukit.ones(2)).dtype is gpukit.float32


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_random_integers(device, dtype):
    x = fetch(gpukit.randint(10, 60_000, (2000,), dtype=dtype, device=device))
    assert x.dtype == dtype and 10 <= x.min() < 300 and 59_000 < x.max() < 60_000
    with pytest.raises(ValueError, match="holds whole numbers from 0"):
        gpukit.randint(-1, 3, (2,), dtype=dtype)

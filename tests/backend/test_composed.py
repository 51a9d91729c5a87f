"""Functions composed of others, against NumPy on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, fetch, put, sample

EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk", (2, 3, 4), (2, 4, 5)),
    ("...ij,jk", (2, 3, 4), (4, 5)),
    ("ab...,b->a...", (2, 3, 4), (3,)),
    ("i...->...", (2, 3)),
    ("i,j->ij", (3,), (4,)),
    ("ij,kl", (2, 3), (4, 5)),
    ("ijk,ilm,njm,nlk,abc->", (2, 3, 4), (2, 5, 6), (7, 3, 6), (7, 5, 4), (2, 2, 2)),
    ("ijij->ij", (2, 3, 2, 3)),
    ("iji->j", (2, 3, 2)),
    ("a,a,a->a", (3,), (3,), (3,)),
    (" i j , j ", (2, 3), (3,)),
    ("bi,bj->bij", (1, 3), (4, 5)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
    ("ij,jk->ik", (0, 3), (3, 2)),
    ("ij,jk->ik", (2, 0), (0, 2)),
    (",ij->ij", (), (2, 3)),
]


@pytest.mark.parametrize("row", EQUATIONS, ids=lambda row: row[0])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_einsum(device, row, dtype):
    equation, *shapes = row
    arrays = [sample(dtype, shape, seed=i) for i, shape in enumerate(shapes)]
    got = gpukit.einsum(equation, *(put(array, device) for array in arrays))
    assert got.dtype is gpukit.dtype(dtype)
    want = np.einsum(equation, *arrays)
    np.testing.assert_allclose(fetch(got), want, rtol=1e-12, atol=1e-9)
    assert got.shape == want.shape


def test_einsum_takes_a_list_and_views():
    x = gpukit.arange(6.0).reshape(2, 3)
    assert gpukit.einsum("ij,jk", [x, x.T]).tolist() == (x @ x.T).tolist()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("ij,jk", (2, 3)), ValueError, "2 operands, got 1"),
        (("ij", (2, 3, 4)), gpukit.ShapeError, "names 2 dimensions, the operand has 3"),
        (("ij,jk", (2, 3), (2, 3)), gpukit.ShapeError, "'j' has the sizes 3 and 2"),
        (("ii", (2, 3)), gpukit.ShapeError, "sizes"),
        (("i->ij", (2,)), ValueError, "'j'"),
        (("i->ii", (2,)), ValueError, "'i'"),
        (("i1->i", (2, 2)), ValueError, "'1'"),
        (("i.->i", (2, 2)), ValueError, "label"),
        ((3, (2,)), TypeError, "equation"),
        (("i",), TypeError, "operands"),
    ],
)
def test_wrong_equations(arguments, error, words):
    equation, *shapes = arguments
    with pytest.raises(error, match=words):
        gpukit.einsum(equation, *(gpukit.ones(shape) for shape in shapes))
    with pytest.raises(TypeError, match="operands must be Tensors"):
        gpukit.einsum("i", [1, 2])


@pytest.mark.parametrize("dims", [0, 1, 2, ([0], [2]), ([1, 2], [1, 0]), ([-1], [0])])
def test_tensordot(device, dims):
    a, b = sample("float64", (4, 4, 4)), sample("float64", (4, 4, 4), seed=1)
    got = gpukit.tensordot(put(a, device), put(b, device), dims)
    np.testing.assert_allclose(fetch(got), np.tensordot(a, b, dims), rtol=1e-12, atol=1e-9)


def test_vecdot_and_trace(device):
    a, b = sample("float64", (2, 3, 4)), sample("float64", (3, 4), seed=1)
    want = (a * b).sum(-1)
    np.testing.assert_allclose(fetch(gpukit.vecdot(put(a, device), put(b, device))), want)
    c, d = sample("int32", (4, 3)), sample("int32", (4, 3), seed=1)
    got = gpukit.vecdot(put(c, device), put(d, device), dim=-2)
    np.testing.assert_array_equal(fetch(got), (c * d).sum(0))
    assert gpukit.trace(put(c, device)).item() == np.trace(c)


@pytest.mark.parametrize(
    ("shifts", "dims"),
    [(1, 0), (-2, 1), (7, 1), ((1, 2), (0, 1)), (2, None), (0, 0), ((1, 1), (0, 0))],
)
@pytest.mark.parametrize("shape", [(3, 5), (1, 4), (0, 4)])
def test_roll(device, shifts, dims, shape):
    array = sample("int32", shape)
    assert_same(gpukit.roll(put(array, device), shifts, dims), np.roll(array, shifts, dims))


@pytest.mark.parametrize("offset", [0, 1, -2, 4])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_diag(device, offset, dtype):
    vector, matrix = sample(dtype, (3,)), sample(dtype, (3, 4))
    assert_same(gpukit.diag(put(vector, device), offset), np.diag(vector, offset))
    if offset < 4:
        assert_same(gpukit.diag(put(matrix, device), offset), np.diag(matrix, offset))


@pytest.mark.parametrize("indexing", ["ij", "xy"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_meshgrid(device, indexing, count):
    vectors = [np.arange(n + 2) for n in range(count)]
    got = gpukit.meshgrid(*(put(vector, device) for vector in vectors), indexing=indexing)
    want = np.meshgrid(*vectors, indexing=indexing)
    assert len(got) == count
    for mine, theirs in zip(got, want, strict=True):
        assert_same(mine, theirs)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "uint8"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 64])
def test_searchsorted(device, dtype, side, length):
    sequence = np.sort(sample(dtype, (length,)))
    values = sample(dtype, (4, 5), seed=3)
    got = gpukit.searchsorted(put(sequence, device), put(values, device), side=side)
    np.testing.assert_array_equal(fetch(got), np.searchsorted(sequence, values, side=side))


def test_searchsorted_with_nan_and_rows(device):
    sequence, values = np.array([1, 2, np.nan]), np.array([1, np.nan, 5, np.inf])
    for side in ("left", "right"):
        got = gpukit.searchsorted(put(sequence, device), put(values, device), side=side)
        np.testing.assert_array_equal(fetch(got), np.searchsorted(sequence, values, side=side))
    rows, searched = put(np.array([[1, 3], [2, 4]]), device), put(np.array([[3], [3]]), device)
    assert gpukit.searchsorted(rows, searched).tolist() == [[1], [1]]


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool"])
def test_isin(device, dtype):
    elements, known = sample(dtype, (5, 6)), sample(dtype, (4,), seed=2)
    for invert in (False, True):
        got = gpukit.isin(put(elements, device), put(known, device), invert=invert)
        assert_same(got, np.isin(elements, known, invert=invert))
    nothing = put(known[:0], device)
    assert not gpukit.isin(put(elements, device), nothing).any().item()


@pytest.mark.parametrize(
    ("shape", "counts"),
    [
        ((), (3,)),
        ((2, 3), (1, 1)),
        ((2, 3), (2, 1, 4)),
        ((2, 3), (3, 0)),
        ((0, 3), (2, 2)),
        ((2,) * 8, (1, 2) * 4),
    ],
)
def test_repeat(device, shape, counts):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert_same(put(array, device).repeat(*counts), np.tile(array, counts))
    strided = put(array, device).T
    assert_same(strided.repeat(*counts), np.tile(array.T, counts))


def test_repeat_needs_no_time_for_what_is_empty(device):
    empty = gpukit.zeros(0, device=device)
    assert empty.repeat(2**40, 1).shape == (2**40, 0)
    assert gpukit.zeros(1, 1, device=device).repeat(0, 2**50).shape == (0, 2**50)
    for counts in ((2**63 - 1,), (2**40, 2**40)):
        with pytest.raises(ValueError, match=r"repeat: .* is too big"):
            gpukit.ones(4, device=device).repeat(*counts)


@pytest.mark.parametrize("dim", [None, 0, 1, -1])
def test_repeat_interleave(device, dim):
    array = sample("int16", (3, 3))
    for repeats in (0, 1, 3):
        got = gpukit.repeat_interleave(put(array, device), repeats, dim)
        assert_same(got, np.repeat(array, repeats, dim))
    counts = [2, 0, 1] if dim is not None else [1, 0, 2] * 3
    got = gpukit.repeat_interleave(put(array, device), put(np.array(counts), device), dim)
    assert_same(got, np.repeat(array, counts, dim))


@pytest.mark.parametrize("counts", [(2,), (2, 3), (1, 1), (2, 1, 3), (0, 2), ()])
def test_tile(device, counts):
    array = sample("int32", (2, 3))
    assert_same(gpukit.tile(put(array, device), counts), np.tile(array, counts))


@pytest.mark.parametrize(
    ("source", "destination"), [(0, 2), (2, 0), (-1, 0), ((0, 1), (1, 2)), ((2, 0), (0, 1))]
)
def test_moveaxis(device, source, destination):
    array = sample("int32", (2, 3, 4))
    got = gpukit.moveaxis(put(array, device), source, destination)
    assert_same(got, np.moveaxis(array, source, destination))


@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
@pytest.mark.parametrize("n", [0, 1, 3, 9])
@pytest.mark.parametrize("dim", [0, -1])
def test_diff(device, dtype, n, dim):
    array = sample(dtype, (3, 4))
    assert_same(gpukit.diff(put(array, device), n, dim), np.diff(array, n, dim))


def test_diff_with_ends(device):
    array, end = sample("int32", (3, 4)), sample("int32", (3, 1), seed=5)
    got = gpukit.diff(put(array, device), prepend=put(end, device), append=put(end, device))
    assert_same(got, np.diff(array, prepend=end, append=end))


def test_take_along_dim(device):
    array = sample("float32", (3, 4))
    places = np.argsort(array, axis=1)
    got = gpukit.take_along_dim(put(array, device), put(places, device), dim=1)
    assert_same(got, np.take_along_axis(array, places, 1))
    row = put(places[:1], device)
    assert_same(
        gpukit.take_along_dim(put(array, device), row, dim=1),
        np.take_along_axis(array, places[:1], 1),
    )


def test_broadcasting_and_stacking(device):
    a, b = sample("int32", (3, 1)), sample("int32", (4,))
    for mine, theirs in zip(
        gpukit.broadcast_tensors(put(a, device), put(b, device)),
        np.broadcast_arrays(a, b),
        strict=True,
    ):
        assert_same(mine, theirs)
    assert gpukit.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    assert gpukit.broadcast_shapes((0, 1), (1, 5)) == (0, 5)
    assert_same(gpukit.hstack([put(b, device), put(b, device)]), np.hstack([b, b]))
    assert_same(gpukit.vstack([put(b, device), put(b, device)]), np.vstack([b, b]))
    assert [part.tolist() for part in gpukit.unstack(put(a, device), dim=1)] == [a[:, 0].tolist()]


def test_copies_of_in_place_forms(device):
    x, values = sample("float32", (3, 4)), sample("float32", (3, 4), seed=4)
    places = np.argsort(values, axis=1)
    mine, index, source = put(x, device), put(places, device), put(values, device)
    want = x.copy()
    np.put_along_axis(want, places, values, 1)
    assert_same(gpukit.scatter(mine, 1, index, source), want)
    want = x.copy()
    np.add.at(want, (np.arange(3)[:, None], places), values)
    assert_same(mine.scatter_add(1, index, source), want)
    want = x.copy()
    np.add.at(want, [0, 2, 0], values)
    assert_same(gpukit.index_add(mine, 0, put(np.array([0, 2, 0]), device), source), want)
    assert_same(mine.where(mine > 0, source), np.where(x > 0, x, values))
    assert_same(mine.where(mine > 0, 0.0), np.where(x > 0, x, np.float32(0)))
    assert_same(mine, x)


def test_results_do_not_share_memory():
    x = gpukit.arange(4.0)
    for result in (gpukit.roll(x, 0), gpukit.diff(x, 0), x.tile(1), x.repeat_interleave(1)):
        result.zero_()
        assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: gpukit.tensordot(x, x, 9), ValueError, "dims is 9"),
        (lambda x: gpukit.tensordot(x, x, -1), ValueError, "dims is -1"),
        (lambda x: gpukit.tensordot(x, x, ([0], [0, 1])), gpukit.ShapeError, "1 and 2"),
        (lambda x: gpukit.tensordot(x, x, ([0, 0], [0, 1])), ValueError, "twice"),
        (lambda x: gpukit.tensordot(x, x, ([0], [1])), gpukit.ShapeError, "differ"),
        (lambda x: gpukit.tensordot(x, x, ([7], [1])), IndexError, "7"),
        (lambda x: gpukit.vecdot(x, x[:, :2]), gpukit.ShapeError, "broadcast"),
        (lambda x: gpukit.vecdot(x[0], x[0, :1]), gpukit.ShapeError, "one size"),
        (lambda x: gpukit.vecdot(x, gpukit.ones(()), 2), IndexError, "dim 2"),
        (lambda x: gpukit.vecdot(x[0, 0], x[0, 0], -2), IndexError, "dim -2"),
        (lambda x: gpukit.isin(x, "1"), TypeError, "test_elements"),
        (lambda x: gpukit.isin(1, 1), TypeError, "test_elements"),
        (lambda x: gpukit.searchsorted(x[0], "1"), TypeError, "input"),
        (lambda x: gpukit.trace(x[0]), gpukit.ShapeError, "trace"),
        (lambda x: gpukit.roll(x, (1, 2)), ValueError, "dims is missing"),
        (lambda x: gpukit.roll(x, (1, 2), 0), gpukit.ShapeError, "2 shifts and 1 dims"),
        (lambda x: gpukit.roll(x, 1, 5), IndexError, "5"),
        (lambda x: gpukit.roll(x, 1.5), TypeError, "1.5"),
        (lambda x: gpukit.diag(gpukit.ones(1, 1, 1)), gpukit.ShapeError, "diag"),
        (lambda x: gpukit.meshgrid(x, x), gpukit.ShapeError, r"\(2, 3\)"),
        (lambda x: gpukit.meshgrid(x[0], indexing="ji"), ValueError, "'ji'"),
        (lambda x: gpukit.meshgrid(1), TypeError, r"tensors\[0\]"),
        (lambda x: gpukit.searchsorted(x[0], x, side="middle"), ValueError, "middle"),
        (lambda x: gpukit.searchsorted(x, x[0]), gpukit.ShapeError, "searchsorted"),
        (lambda x: gpukit.repeat_interleave(x, -1), ValueError, "-1"),
        (lambda x: gpukit.repeat_interleave(x, [1, -1], 0), ValueError, "-1"),
        (lambda x: gpukit.repeat_interleave(x, [1, 2, 3], 0), gpukit.ShapeError, "3 counts"),
        (lambda x: gpukit.repeat_interleave(x, [1.5], 0), TypeError, "ints"),
        (lambda x: gpukit.tile(x, -1), ValueError, "-1"),
        (lambda x: gpukit.tile(x, "2"), TypeError, "'2'"),
        (lambda x: gpukit.moveaxis(x, (0, 0), (0, 1)), ValueError, "different"),
        (lambda x: gpukit.moveaxis(x, 0, 4), IndexError, "4"),
        (lambda x: gpukit.diff(x, -1), ValueError, "-1"),
        (lambda x: gpukit.diff(gpukit.ones(())), gpukit.ShapeError, "diff"),
        (lambda x: gpukit.take_along_dim(x, gpukit.arange(2), 0), gpukit.ShapeError, "indices"),
        (lambda x: gpukit.broadcast_shapes((2,), (3,)), gpukit.ShapeError, "2 and 3"),
        (lambda x: gpukit.broadcast_shapes((-1,)), ValueError, "-1"),
        (lambda x: gpukit.positive(x > 0), gpukit.DTypeError, "bool"),
        (lambda x: x.__array_namespace__(api_version="1999.1"), ValueError, "1999.1"),
    ],
)
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call(gpukit.ones(2, 3))


@pytest.mark.parametrize(
    ("ours", "theirs", "dim"),
    [
        ((2, 3), (), -1),
        ((2, 3), (), 0),
        ((), (2, 3), 1),
        ((), (), -1),
        ((), (), 0),
        ((2, 3), (2, 1), -1),
        ((2, 3), (1, 3), 0),
        ((2, 3), (3,), 0),
        ((3,), (2, 3), -2),
        ((4, 2, 3), (2, 3), 0),
        ((2, 3), (4, 2, 3), 1),
        ((0, 3), (), -1),
        ((2, 3), (4, 1, 3), -3),
    ],
)
def test_vecdot_broadcasts_first(device, ours, theirs, dim):
    a, b = np.asarray(sample("float64", ours)), np.asarray(sample("float64", theirs))
    x, y = np.broadcast_arrays(a, b)
    want = (x * y).sum(dim) if x.ndim else x * y
    got = gpukit.vecdot(put(a, device), put(b, device), dim=dim)
    assert got.shape == want.shape
    np.testing.assert_allclose(fetch(got), want)


def test_vecdot_of_repeated_numbers(device):
    ones = gpukit.full((1000,), 0.1, device=device)
    number = gpukit.tensor(0.3, device=device)
    want = 1000 * float(np.float32(0.1)) * float(np.float32(0.3))
    assert abs(gpukit.vecdot(ones, number).item() - want) < 2e-6 * want
    whole = gpukit.ones(200, dtype="int8", device=device)
    assert gpukit.vecdot(whole, whole[0]).dtype is gpukit.int8
    for other in (number.double(), number > 0):
        for x in (ones, ones[0]):
            with pytest.raises(gpukit.DTypeError):
                gpukit.vecdot(x, other)
    with pytest.raises(gpukit.DTypeError):
        gpukit.vecdot(ones > 0, number > 0)


@pytest.mark.parametrize("number", [1, 2.0, 1.5, 300, 1e300, np.int32(2), np.float64(0.1)])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "float64"])
def test_isin_of_numbers(device, number, dtype):
    x = gpukit.tensor([0, 1, 2, 2, 44], dtype=dtype, device=device)
    if dtype.startswith("float"):
        x[0] = 0.1  # a number beside it has its digits
    own = [0.1 if dtype.startswith("float") else 0, 1, 2, 2, 44]
    want = [value == number for value in own]
    assert gpukit.isin(x, number).tolist() == want
    assert gpukit.isin(x, number, invert=True).tolist() == [not found for found in want]
    assert gpukit.isin(number, x).tolist() is any(want)


@pytest.mark.parametrize("number", [3, 3.5, np.int32(3), np.float32(3.5), np.float64(2), True])
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_searchsorted_of_numbers(device, number, dtype):
    values = [1, 2, 3, 3, 5]
    x = gpukit.tensor(values, dtype=dtype, device=device)
    for right, side in ((False, "left"), (True, "right")):
        place = gpukit.searchsorted(x, number, right=right)
        assert place.shape == () and place.item() == np.searchsorted(values, number, side)


@pytest.mark.parametrize("n", [0, 1])
def test_diff_checks_what_is_put_beside_it(n):
    with pytest.raises(gpukit.ShapeError):
        gpukit.diff(gpukit.ones(1, 1), n=n, append=gpukit.ones(4, 3))
    assert gpukit.diff(gpukit.ones(1, 2), n=n, append=gpukit.ones(1, 1)).shape == (1, 2)

"""x[...] and x[...] = y with every kind of index, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, assert_same, fetch, put, sample

SHAPE = (4, 5, 6)
I = np.array([2, 0, -1, 2])  # noqa: E741
J = np.array([[1], [3], [-2]])
MASK = np.random.default_rng(3).random(SHAPE) < 0.4
ROWS = np.array([True, False, True, True])
PLANE = MASK[..., 0]

BASIC = {
    "integer": np.s_[1],
    "negative": np.s_[-1, -2],
    "all integers": np.s_[1, 2, 3],
    "slice": np.s_[1:3],
    "steps": np.s_[::2, 1::3],
    "beyond": np.s_[2:100, -100:2],
    "backwards": np.s_[::-1],
    "backwards by two": np.s_[3:0:-2, ::-3],
    "nothing": np.s_[3:1],
    "ellipsis": np.s_[..., 2],
    "ellipsis within": np.s_[1, ..., 2],
    "new axis": np.s_[None, :, None, 1],
    "empty tuple": (),
    "only ellipsis": np.s_[...],
}
ADVANCED = {
    "integers": I,
    "second dim": np.s_[:, I],
    "last dim": np.s_[..., I],
    "two": np.s_[I[:3], J],
    "two apart": np.s_[I[:3], :, J],
    "three": np.s_[I[:3], J, 0 * J],
    "with slice before": np.s_[1:, I[:3], J],
    "with steps": np.s_[::2, I, ::-1],
    "with new axis": np.s_[I, None, :, 1:3],
    "with an integer next to it": np.s_[1, I],
    "with an integer behind": np.s_[:, I, 2],
    "no places": np.s_[np.array([], dtype=np.int64)],
    "0-d": np.s_[:, np.array(3)],
    "mask": MASK,
    "mask of rows": ROWS,
    "mask of planes": PLANE,
    "mask within": np.s_[:, np.array([True, False, True, False, False])],
    "mask at the end": np.s_[1:3, MASK[0]],
    "mask and integers": np.s_[ROWS, np.array([0, 1, -1])],
    "mask of nothing": np.zeros(SHAPE, dtype=bool),
    "small dtype": I.astype(np.int8),
}
EVERY = {**BASIC, **ADVANCED}


def as_index(key, device):
    """The same index with tensors for arrays."""
    if isinstance(key, tuple):
        return tuple(as_index(item, device) for item in key)
    return put(key, device) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("name", EVERY)
def test_get(name, device):
    x = sample("float32", SHAPE)
    key = EVERY[name]
    assert_same(put(x, device)[as_index(key, device)], x[key])
    turned = put(np.ascontiguousarray(x.transpose(2, 1, 0)), device).permute(2, 1, 0)
    assert_same(turned[as_index(key, device)], x[key])


def names_a_place_twice(key):
    """Which of several values such a place gets is not defined on a GPU."""
    places = np.arange(np.prod(SHAPE)).reshape(SHAPE)[key].ravel()
    return len(np.unique(places)) < len(places)


def values_for(name, chosen):
    """Values that broadcast to the chosen part. A place that is named twice gets the same value."""
    yield 7.0
    yield np.float32(5)
    yield np.full(chosen.shape, 3, np.float32)
    if not names_a_place_twice(EVERY[name]):
        yield sample("float32", chosen.shape[-1:], seed=8)
        yield sample("float32", chosen.shape, seed=9)


@pytest.mark.parametrize("name", EVERY)
def test_set(name, device):
    key = EVERY[name]
    for value in values_for(name, sample("float32", SHAPE)[key]):
        want = sample("float32", SHAPE)
        tensor = put(want, device)
        tensor[as_index(key, device)] = value if isinstance(value, float) else put(value, device)
        want[key] = value
        assert_same(tensor, want, f"value of shape {np.shape(value)}")


def test_every_dtype(device):
    for dtype in ALL:
        x = sample(dtype, (5, 3))
        tensor = put(x, device)
        assert_same(tensor[put(I, device)], x[I], dtype)
        assert_same(tensor[tensor != 0], x[x != 0], dtype)
        tensor[put(I, device)] = 1
        x[I] = 1
        assert_same(tensor, x, dtype)


def test_lists_and_numpy_arrays_are_indices_too(device):
    x = sample("float32", (4, 5))
    tensor = put(x, device)
    assert_same(tensor[[0, 2]], x[[0, 2]])
    assert_same(tensor[np.array([1, 1])], x[[1, 1]])
    assert_same(tensor[[True, False, True, False]], x[[True, False, True, False]])
    assert_same(tensor[True], x[True])
    assert_same(tensor[False], x[False])


def test_basic_indexing_is_a_view(device):
    tensor = put(sample("float32", (4, 5)), device)
    view = tensor[1:3, ::2]
    view.fill_(9)
    assert (fetch(tensor)[1:3, ::2] == 9).all()
    copy = tensor[put(np.array([0, 1]), device)]
    copy.fill_(-1)
    assert (fetch(tensor)[1:3, ::2] == 9).all()


def test_setting_from_itself(device):
    x = np.arange(6)
    tensor = put(x, device)
    tensor[put(np.array([0, 1, 2]), device)] = tensor[3:]
    tensor[1:] = tensor[:-1]
    x[[0, 1, 2]] = x[3:].copy()
    x[1:] = x[:-1].copy()
    assert_same(tensor, x)


def test_finding_nonzero_elements(device):
    for shape in ((), (7,), (3, 4), (2, 3, 4), (0, 3)):
        x = np.asarray(sample("int64", shape) % 3)
        want = np.argwhere(x)
        assert_same(gpukit.nonzero(put(x, device)), want, str(shape))
    x = sample("float32", (300,)).round()
    assert_same(gpukit.nonzero(put(x, device)), np.argwhere(x))


def test_masked_select(device):
    x = sample("float32", (3, 4))
    mask = np.array([True, False, True, False])
    assert_same(gpukit.masked_select(put(x, device), put(mask, device)), x[:, mask].ravel())
    assert_same(gpukit.masked_select(put(x, device), put(x > 0, device)), x[x > 0])


def test_take_gather_and_index_select(device):
    x = sample("float32", (4, 5))
    tensor = put(x, device)
    places = np.array([[0, 19], [-1, 7]])
    assert_same(gpukit.take(tensor, put(places, device)), np.take(x, places))
    for dim, reachable in ((0, x[:, :4]), (1, x[:3])):
        index = np.random.default_rng(dim).integers(0, x.shape[dim], (3, 4))
        want = np.take_along_axis(reachable, index, dim)
        assert_same(gpukit.gather(tensor, dim, put(index, device)), want)
        rows = put(np.array([3, 0, 0]), device)
        assert_same(gpukit.index_select(tensor, dim, rows), np.take(x, [3, 0, 0], dim))
    assert_same(gpukit.index_select(tensor.T, 0, put(np.array([4, 1]), device)), x.T[[4, 1]])


def looked_at(call, device):
    """A GPU's index is looked at there."""
    call()
    gpukit.synchronize(device)


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (np.s_[4], IndexError, ["index 4", "dimension 0", "size 4"]),
        (np.s_[0, -6], IndexError, ["index -6", "dimension 1", "size 5"]),
        (np.s_[0, 0, 0, 0], IndexError, ["4 indices", "3 dimensions"]),
        (np.s_[..., ...], IndexError, ["Ellipsis"]),
        (np.s_[::0], ValueError, ["step is 0"]),
        (np.array([0, 4]), IndexError, ["index 4", "dimension 0", "size 4", "-4 … 3"]),
        (np.s_[1, np.array([0, -6])], IndexError, ["index -6", "dimension 1", "size 5"]),
        (np.array([True, False]), IndexError, ["the mask is (2,)", "size 4"]),
        (np.array([0.5]), IndexError, ["float64", "index.long()"]),
        (np.s_[np.array([0, 1]), np.array([0, 1, 2])], gpukit.ShapeError, ["(2,)", "(3,)"]),
    ],
)
def test_wrong_indices(key, error, words, device):
    tensor = put(sample("float32", SHAPE), device)
    for call in (
        lambda: tensor[as_index(key, device)],
        lambda: tensor.__setitem__(as_index(key, device), 1.0),
    ):
        with pytest.raises(error) as caught:
            looked_at(call, device)
        for word in words:
            assert word in str(caught.value)
    if device.type == "cpu":  # a GPU has written what was right
        assert_same(tensor, sample("float32", SHAPE))


def test_values_that_do_not_fit(device):
    tensor = put(sample("float32", SHAPE), device)
    for key in (np.s_[0], I, MASK):
        with pytest.raises(gpukit.ShapeError, match="does not broadcast"):
            tensor[as_index(key, device)] = put(np.zeros(77, np.float32), device)
    assert_same(tensor, sample("float32", SHAPE))


def test_adding_at_repeated_places_adds_up(device):
    rng = np.random.default_rng(5)
    for dtype in ("float32", "float64", "float16", "int64", "uint8"):
        index = rng.integers(0, 5, 40)
        for dim, shape in ((0, (40, 3)), (1, (4, 40)), (1, (2, 40, 3))):
            target = sample(dtype, (*shape[:dim], 5, *shape[dim + 1 :]))
            source = (sample(dtype, shape, seed=2) / 9).astype(dtype)
            want = np.moveaxis(target.astype(np.float64), dim, 0)
            np.add.at(want, index, np.moveaxis(source.astype(np.float64), dim, 0))
            got = put(target, device).index_add_(dim, put(index, device), put(source, device))
            want = np.moveaxis(want, 0, dim)
            want = want.astype(np.int64).astype(dtype) if dtype == "uint8" else want.astype(dtype)
            assert_same(
                got, want, f"{dtype} {shape}", tolerance=5e-3 if dtype == "float16" else None
            )


def test_scatter(device):
    rng = np.random.default_rng(6)
    for dim in (0, 1):
        x = sample("float64", (5, 6))
        index = np.argsort(rng.random((5, 6)), axis=dim)[:4, :3] % x.shape[dim]
        source = sample("float64", (4, 5), seed=3)
        want = x.copy()
        np.put_along_axis(want[:, :3] if dim == 0 else want[:4], index, source[:, :3], dim)
        got = put(x, device).scatter_(dim, put(index, device), put(source, device))
        assert_same(got, want, f"dim {dim}")
        repeated = rng.integers(0, 2, (4, 3))
        want = x.copy()
        rows, columns = np.indices((4, 3))
        np.add.at(want, (repeated, columns) if dim == 0 else (rows, repeated), source[:, :3])
        got = put(x, device).scatter_add_(dim, put(repeated, device), put(source, device))
        assert_same(got, want, f"dim {dim}")
    strided = put(np.zeros((6, 5)), device).T
    strided.scatter_(0, put(np.array([[4], [2]]), device), put(np.array([[1.0], [2.0]]), device))
    assert fetch(strided)[[4, 2], 0].tolist() == [1, 2]
    assert fetch(strided).sum() == 3


def test_masked_fill(device):
    x = sample("float32", (3, 4))
    mask = np.array([True, False, True, False])
    want = np.where(mask, np.float32(-np.inf), x)
    assert_same(put(x, device).masked_fill(put(mask, device), float("-inf")), want)
    assert_same(put(x, device).masked_fill_(put(mask, device), float("-inf")), want)
    with pytest.raises(gpukit.ShapeError, match="mask"):
        put(x, device).masked_fill_(put(np.ones(3, bool), device), 0)


def test_zero_d_index_is_an_integer(device):
    x = sample("float32", SHAPE)
    one = put(np.array(1), device)
    tensor = put(x, device)
    assert_same(tensor[one], x[1])
    assert_same(tensor[0, :, put(I, device)], x[0][:, I])
    assert_same(tensor[one, :, put(I, device)], x[1][:, I])
    tensor[one].fill_(0)
    assert not fetch(tensor)[1].any()


def test_a_range_is_an_index(device):
    x = gpukit.arange(6, device=device).reshape(2, 3)
    assert x[range(2), [0, 2]].tolist() == [0, 5]
    assert x[:, range(0, 3, 2)].tolist() == [[0, 2], [3, 5]]
    assert x[range(0)].shape == (0, 3)
    x[range(2), 1] = 9
    assert x.tolist() == [[0, 9, 2], [3, 9, 5]]

"""cat, stack, split, chunk, reshape and flatten."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, assert_same, fetch, layouts, put, sample


def test_cat(device):
    for dtype in ALL:
        x, y, z = sample(dtype, (2, 3)), sample(dtype, (4, 3), seed=1), sample(dtype, (0, 3))
        assert_same(
            gpukit.cat([put(a, device) for a in (x, y, z)]), np.concatenate([x, y, z]), dtype
        )
    x, y = sample("float32", (2, 3, 4)), sample("float32", (2, 5, 4))
    for dim in (1, -2):
        assert_same(gpukit.cat((put(x, device), put(y, device)), dim), np.concatenate([x, y], 1))
    square = sample("float32", (4, 4))
    assert_same(
        gpukit.concat([put(square, device).T, put(square, device)[:, ::2]], 1),
        np.hstack([square.T, square[:, ::2]]),
    )


def test_cat_promotes_and_passes_over_nothing(device):
    x, y = put(sample("int32", (2,)), device), put(sample("float32", (3,)), device)
    assert gpukit.cat([x, y]).dtype == gpukit.float32
    matrix = sample("float32", (2, 3))
    assert_same(gpukit.cat([gpukit.zeros(0, device=device), put(matrix, device)], 1), matrix)


def test_stack(device):
    x, y = sample("float32", (2, 3)), sample("float32", (2, 3), seed=1)
    for dim in (0, 1, 2, -1):
        assert_same(gpukit.stack([put(x, device), put(y, device)], dim), np.stack([x, y], dim))
    assert fetch(
        gpukit.stack([put(np.float32(1), device), put(np.float32(2), device)])
    ).tolist() == [1, 2]


def test_split_and_chunk_are_views(device):
    x = sample("float32", (7, 4))
    tensor = put(x, device)
    for size in (1, 3, 7, 10):
        parts = gpukit.split(tensor, size)
        wants = [x[i : i + size] for i in range(0, 7, size)]
        assert len(parts) == len(wants)
        for part, want in zip(parts, wants, strict=True):
            assert_same(part, want)
    chunks = gpukit.chunk(tensor, 3, 1)
    assert [c.shape[1] for c in chunks] == [2, 2]
    chunks[0].fill_(5)
    assert (fetch(tensor)[:, :2] == 5).all()


RESHAPES = [(6, 4), (24,), (2, 2, 6), (-1, 8), (4, 6), (1, 24, 1), (4, 3, -1)]


@pytest.mark.parametrize("shape", RESHAPES)
def test_reshape(shape, device):
    x = sample("float32", (4, 6))
    tensor = put(x, device)
    assert_same(tensor.reshape(*shape), x.reshape(shape))
    assert_same(tensor.reshape(shape), x.reshape(shape))
    assert_same(tensor.T.reshape(shape), x.T.reshape(shape))
    tensor.reshape(shape).fill_(1)
    assert (fetch(tensor) == 1).all()


def test_flatten(device):
    x = sample("float32", (2, 3, 4, 5))
    tensor = put(x, device)
    assert_same(tensor.flatten(), x.ravel())
    assert_same(gpukit.flatten(tensor, 1), x.reshape(2, -1))
    assert_same(gpukit.flatten(tensor, 1, 2), x.reshape(2, 12, 5))
    assert_same(tensor.permute(3, 1, 0, 2).flatten(0, -2), x.transpose(3, 1, 0, 2).reshape(-1, 4))
    assert tensor.sum().flatten().shape == (1,)
    for layout, array, view in layouts(sample("float32", (4, 6)), device):
        assert_same(view.flatten(), array.flatten(), layout)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda t: gpukit.cat([]), ValueError, ["cat", "empty"]),
        (
            lambda t: gpukit.cat([t, t[:, :2]]),
            gpukit.ShapeError,
            ["cat", "(3, 4)", "tensors[1] is (3, 2)", "dimension 1"],
        ),
        (lambda t: gpukit.cat([t, t[0]]), gpukit.ShapeError, ["cat", "number of dimensions"]),
        (lambda t: gpukit.cat([t], 2), IndexError, ["cat", "2"]),
        (lambda t: gpukit.stack([t, t.T]), gpukit.ShapeError, ["stack", "(4, 3)"]),
        (lambda t: gpukit.split(t, 0), ValueError, ["split", "split_size is 0"]),
        (lambda t: gpukit.chunk(t, 0), ValueError, ["chunk", "chunks is 0"]),
        (lambda t: t.reshape(5, 2), gpukit.ShapeError, ["reshape", "(5, 2)"]),
        (lambda t: t.reshape(-1, -1), gpukit.ShapeError, ["reshape", "-1"]),
        (lambda t: t.flatten(1, 0), ValueError, ["flatten"]),
    ],
)
def test_refusals(call, error, words, device):
    with pytest.raises(error) as caught:
        call(put(sample("float32", (3, 4)), device))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0,)])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_chunks_of_nothing(device, shape, count):
    x = gpukit.ones(shape, device=device, requires_grad=True)
    dim = shape.index(0)
    pieces = gpukit.chunk(x, count, dim)  # torch gives as many as are asked for
    assert [piece.shape for piece in pieces] == [shape] * count
    sum(piece.sum() for piece in pieces).backward()
    assert x.grad.shape == shape


def test_chunks_of_nothing_without_end():
    with pytest.raises(ValueError, match=r"chunks is 4611686018427387904.*1048576"):
        gpukit.zeros(0).chunk(2**62)


def test_nothing_among_tensors_has_a_gradient(device):
    nothing = gpukit.zeros(0, device=device, requires_grad=True)
    x = gpukit.ones(2, 3, device=device, requires_grad=True)
    gpukit.cat([x, nothing, x]).sum().backward()
    assert nothing.grad.shape == (0,)
    assert x.grad.tolist() == [[2.0] * 3] * 2

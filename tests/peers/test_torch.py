"""gpukit and torch on the same inputs: same values, dtypes, shapes and texts."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def pair(*shape, seed=0):
    data = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return gpukit.tensor(data), torch.tensor(data)


def same(mine, theirs, tolerance=1e-6):
    assert str(mine.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    assert tuple(mine.shape) == tuple(theirs.shape)
    a, b = np.array(mine.tolist(), float), np.array(theirs.tolist(), float)
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_promotion_of_two_tensors(left, right):
    mine = gpukit.ones(2, dtype=left) * gpukit.ones(2, dtype=right)
    theirs = torch.ones(2, dtype=getattr(torch, left)) * torch.ones(2, dtype=getattr(torch, right))
    same(mine, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scalar", [2, 2.5])
def test_promotion_with_numbers(dtype, scalar):
    same(gpukit.ones(2, dtype=dtype) * scalar, torch.ones(2, dtype=getattr(torch, dtype)) * scalar)


FUNCTIONS = {
    "matmul": lambda m, a: m.matmul(a, a.T),
    "mm": lambda m, a: m.mm(a, a.t()),
    "sum": lambda m, a: m.sum(a, dim=0),
    "mean": lambda m, a: m.mean(a, dim=1, keepdim=True),
    "var": lambda m, a: m.var(a, dim=0),
    "std": lambda m, a: m.std(a),
    "norm": lambda m, a: m.norm(a),
    "argmax": lambda m, a: m.argmax(a, dim=1),
    "softmax": lambda m, a: m.softmax(a, dim=1),
    "logsumexp": lambda m, a: m.logsumexp(a, dim=1),
    "cumsum": lambda m, a: m.cumsum(a, dim=0),
    "clamp": lambda m, a: m.clamp(a, -0.5, 0.5),
    "where": lambda m, a: m.where(a > 0, a, -a),
    "cat": lambda m, a: m.cat([a, a], dim=1),
    "stack": lambda m, a: m.stack([a, a], dim=0),
    "tril": lambda m, a: m.tril(a),
    "outer": lambda m, a: m.outer(a[0], a[1]),
    "addmm": lambda m, a: m.addmm(a[:, :4], a, a.T),
    "flip": lambda m, a: m.flip(a, (0, 1)),
    "exp": lambda m, a: m.exp(a),
    "tanh": lambda m, a: m.tanh(a),
    "sigmoid": lambda m, a: m.sigmoid(a),
    "relu": lambda m, a: m.relu(a),
    "erf": lambda m, a: m.erf(a),
    "pow": lambda m, a: m.pow(m.abs(a), 1.7),
    "floor_divide": lambda m, a: m.floor_divide(a, 0.3),
    "remainder": lambda m, a: m.remainder(a, 0.3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    mine, theirs = pair(4, 5)
    same(FUNCTIONS[name](gpukit, mine), FUNCTIONS[name](torch, theirs), 2e-6)


CREATIONS = {
    "arange": lambda m: m.arange(3, 10, 2),
    "arange float": lambda m: m.arange(0.0, 1.0, 0.1),
    "linspace": lambda m: m.linspace(-1, 1, 7),
    "eye": lambda m: m.eye(3, 4),
    "full": lambda m: m.full((2, 2), 7),
    "full float": lambda m: m.full((2, 2), 7.5),
    "tensor of ints": lambda m: m.tensor([[1, 2], [3, 4]]),
    "tensor of bools": lambda m: m.tensor([True, False]),
}


@pytest.mark.parametrize("name", CREATIONS)
def test_creation(name):
    same(CREATIONS[name](gpukit), CREATIONS[name](torch))


TEXTS = {
    "ones": lambda m: m.ones(2, 3),
    "whole": lambda m: m.tensor([1.0, 20.0, 300.0]),
    "fractions": lambda m: m.tensor([[0.5, -1.25], [100.0, 3.0]]),
    "scientific": lambda m: m.tensor([1e-6, 1.0, 1e6]),
    "special": lambda m: m.tensor([float("nan"), float("inf"), -float("inf"), 1.5]),
    "integers": lambda m: m.arange(12).reshape(3, 4),
    "bools": lambda m: m.tensor([True, False]),
    "scalar": lambda m: m.tensor(3.5),
    "long": lambda m: m.arange(2000),
    "deep": lambda m: m.zeros(2, 2, 2),
    "wide": lambda m: m.arange(40) * 1.5,
    "summarized": lambda m: m.ones(100, 100),
    "empty": lambda m: m.ones(0),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    assert repr(TEXTS[name](gpukit)) == repr(TEXTS[name](torch)).replace("torch.", "gpukit.")


INDICES = [0, -1, slice(1, 3), (slice(None), 2), (..., 0), None, (slice(None, None, 2), None)]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing(index):
    mine, theirs = pair(4, 5)
    same(mine[index], theirs[index])


def test_memory_is_shared_with_numpy_as_torch_does():
    array = np.zeros(3, np.float32)
    mine, theirs = gpukit.from_numpy(array), torch.from_numpy(array)
    array[1] = 5
    same(mine, theirs)
    mine.add_(1)
    assert theirs.tolist() == [1.0, 6.0, 1.0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_both_ways(dtype):
    mine = gpukit.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    theirs = torch.from_dlpack(mine)
    same(mine, theirs)
    theirs[0, 0] = 1
    assert mine[0, 0].item() == 1
    back = gpukit.from_dlpack(theirs.T)
    same(back, theirs.T)
    back[1, 1] = 0
    assert theirs[1, 1].item() == 0


def test_dlpack_of_what_torch_cannot_read():
    x = gpukit.arange(6.0).reshape(2, 3)
    assert torch.from_dlpack(x[::-1, ::-1]).tolist() == x.flip(0, 1).tolist()
    assert torch.from_dlpack(x[:0]).shape == (0, 3)
    assert torch.from_dlpack(x.expand(2, 2, 3)).tolist() == x.expand(2, 2, 3).tolist()


def test_arrays_of_torch_come_in():
    theirs = torch.arange(4, dtype=torch.int16)
    assert gpukit.as_tensor(theirs).data_ptr() == theirs.data_ptr()
    assert gpukit.tensor(theirs).data_ptr() != theirs.data_ptr()
    assert gpukit.asarray(theirs, copy=False).dtype is gpukit.int16
    assert gpukit.tensor([theirs[0], theirs[1]]).tolist() == [0, 1]
    with pytest.raises(BufferError, match="detach"):
        gpukit.from_dlpack(torch.ones(2, requires_grad=True))
    assert np.from_dlpack(gpukit.from_dlpack(theirs)).ctypes.data == theirs.data_ptr()


COMPOSED = {
    "einsum": lambda m, a: m.einsum("ij,kj->ik", a, a),
    "tensordot": lambda m, a: m.tensordot(a, a, dims=([0], [0])),
    "roll": lambda m, a: m.roll(a, (1, 2), (0, 1)),
    "diag": lambda m, a: m.diag(a, 1),
    "diag of a row": lambda m, a: m.diag(a[0], -1),
    "trace": lambda m, a: m.trace(a),
    "diff": lambda m, a: m.diff(a, n=2),
    "tile": lambda m, a: m.tile(a, (2, 1, 2)),
    "movedim": lambda m, a: m.movedim(a, 0, 1),
    "repeat_interleave": lambda m, a: m.repeat_interleave(a, 2, dim=1),
    "searchsorted": lambda m, a: m.searchsorted(m.sort(a[0])[0], a, right=True),
    "isin": lambda m, a: m.isin(a, a[0]),
    "hstack": lambda m, a: m.hstack([a, a]),
    "vstack": lambda m, a: m.vstack([a, a]),
    "meshgrid": lambda m, a: m.meshgrid(a[0], a[1], indexing="ij")[0],
    "take_along_dim": lambda m, a: m.take_along_dim(a, m.argsort(a, dim=1), dim=1),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_functions(name):
    mine, theirs = pair(4, 5)
    same(COMPOSED[name](gpukit, mine), COMPOSED[name](torch, theirs), 2e-6)

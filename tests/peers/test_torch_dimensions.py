"""Functions along every dimension beside torch's, and where torch raises IndexError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

import gpukit
from support.beside_torch import pair, same

SHAPES = ((2, 3, 4), (3, 1, 5, 2))

# ---- IndexError ----

INDEX_ERRORS: list[Any] = [
    lambda g: g.tensor(1).size(0),
    lambda g: g.tensor(1).size(-1),
    lambda g: g.tensor(1).stride(0),
    lambda g: g.ones(2).size(1),
    lambda g: g.tensor(1.0).unbind(0),
    lambda g: g.zeros(0).argmax(),
    lambda g: g.zeros(3, 0).max(1),
    lambda g: g.zeros(3, 0).min(1),
    lambda g: g.zeros(0, 3).max(0),
    lambda g: g.zeros(3, 0).amax(1),
    lambda g: g.zeros(3, 0).amin(-1),
    lambda g: g.zeros(3, 0).amax((0, 1)),
    lambda g: g.zeros(3, 0).argmax(1),
    lambda g: g.zeros(3, 0).argmin(1),
    lambda g: g.zeros(3, 0).median(1),
    lambda g: g.zeros(3, 3)[g.tensor([0, 1]), g.tensor([0, 1, 2])],
    lambda g: g.zeros(3, 3)[[0, 1], [0, 1, 2]],
    lambda g: g.zeros(3, 3).__setitem__((g.tensor([0, 1]), g.tensor([0, 1, 2])), 1),
    lambda g: g.zeros(3).index_select(0, g.tensor([[0]])),
    lambda g: g.zeros(3).index_select(1, g.tensor([0])),
    lambda g: g.diagonal(g.zeros(3)),
    lambda g: g.tensor(1.0).flatten(0, 1),
    lambda g: g.zeros(3)[5],
    lambda g: g.zeros(3)[0, 1],
    lambda g: g.zeros(3)[g.tensor([5])],
    lambda g: g.zeros(3)[g.tensor([1.0])],
    lambda g: g.zeros(3)[g.tensor([True, False])],
    lambda g: g.zeros(3).sum(1),
    lambda g: g.zeros(3).softmax(1),
    lambda g: g.zeros(3).cumsum(1),
    lambda g: g.zeros(3).transpose(0, 1),
    lambda g: g.zeros(3).movedim(0, 1),
    lambda g: g.tensor(1.0).movedim(1, 0),
    lambda g: g.zeros(3).unsqueeze(2),
    lambda g: g.zeros(3).gather(1, g.tensor([0])),
    lambda g: g.stack([g.zeros(3), g.zeros(3)], 2),
    lambda g: g.cat([g.zeros(3), g.zeros(3)], 1),
]


@pytest.mark.parametrize("call", INDEX_ERRORS)
def test_index_errors_of_torch(call):
    with pytest.raises(IndexError):
        call(torch)
    with pytest.raises(IndexError):
        call(gpukit)


# ---- functions with dimensions ----


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_vecdot_along_every_dimension(shape, dtype, device):
    from gpukit import array_api as xp

    x = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    y = (x * 3 + 1) % 7
    a, b = gpukit.tensor(x, device=device), gpukit.tensor(y, device=device)
    for dim in range(-len(shape), len(shape)):
        np.testing.assert_array_equal((x * y).sum(dim), gpukit.vecdot(a, b, dim=dim).cpu().numpy())
        if dim < 0:
            np.testing.assert_array_equal((x * y).sum(dim), xp.vecdot(a, b, axis=dim).cpu().numpy())
    np.testing.assert_array_equal((x * y[0]).sum(-2), gpukit.vecdot(a, b[0], dim=-2).cpu().numpy())


def each_dim(shape: tuple[int, ...]) -> range:
    return range(-len(shape), len(shape))


WITH_A_DIM: dict[str, Any] = {
    "diff": lambda g, x, d: g.diff(x, 1, d),
    "diff of ends": lambda g, x, d: g.diff(x, 2, d, x, x),
    "median": lambda g, x, d: g.median(x, d)[0],
    "median keepdim": lambda g, x, d: g.median(x, d, True)[0],
    "roll": lambda g, x, d: g.roll(x, 2, d),
    "repeat_interleave": lambda g, x, d: x.repeat_interleave(3, d),
    "take_along_dim": lambda g, x, d: g.take_along_dim(x, g.argsort(x, d), d),
    "movedim": lambda g, x, d: g.movedim(x, d, 0),
    "movedim back": lambda g, x, d: g.movedim(x, 0, d),
    "cumsum": lambda g, x, d: g.cumsum(x, d),
    "cumprod": lambda g, x, d: g.cumprod(x, d),
    "logsumexp": lambda g, x, d: g.logsumexp(x, d, True),
    "std": lambda g, x, d: g.std(x, d, keepdim=True),
    "var": lambda g, x, d: g.var(x, d),
    "norm 3": lambda g, x, d: g.norm(x, 3, d, True),
    "vector_norm": lambda g, x, d: g.linalg.vector_norm(x, float("inf"), d),
    "softmax": lambda g, x, d: g.softmax(x, d),
    "sort": lambda g, x, d: g.sort(x, d, True)[0],
    "topk": lambda g, x, d: g.topk(x, 1, d)[0],
    "argmax": lambda g, x, d: g.argmax(x, d, True),
    "amax": lambda g, x, d: g.amax(x, d),
    "unbind": lambda g, x, d: g.stack(list(x.unbind(d)), d),
    "split": lambda g, x, d: g.cat(list(x.split(2, d))[::-1], d),
    "chunk": lambda g, x, d: g.cat(list(x.chunk(2, d))[::-1], d),
    "index_select": lambda g, x, d: g.index_select(x, d, g.tensor([0, 0]).to(x.device)),
    "flip": lambda g, x, d: g.flip(x, (d,)),
    "count_nonzero": lambda g, x, d: g.count_nonzero(x, d),
    "unflattened": lambda g, x, d: x.unsqueeze(d).squeeze(d),
    "tensordot": lambda g, x, d: g.tensordot(x, x, ([d], [d])),
    "matrix_norm": lambda g, x, d: g.linalg.matrix_norm(x, "fro", (d, d - 1 if d else -1), True),
    "norm of two": lambda g, x, d: g.linalg.norm(x, "fro", (d, d - 1 if d else -1)),
}


@pytest.mark.parametrize("shape", [s for s in SHAPES if 1 not in s])
@pytest.mark.parametrize("name", WITH_A_DIM)
def test_along_every_dimension(name, shape, device):
    data = np.random.default_rng(3).normal(size=shape)
    x, a = torch.tensor(data), gpukit.tensor(data, device=device)
    for dim in each_dim(shape):
        try:
            want = WITH_A_DIM[name](torch, x, dim)
        except (RuntimeError, IndexError):
            with pytest.raises((RuntimeError, IndexError, ValueError)):
                WITH_A_DIM[name](gpukit, a, dim)
            continue
        same(want, WITH_A_DIM[name](gpukit, a, dim), rtol=1e-9)


def test_0d_tensors_keep_their_dimensions(device):
    x = gpukit.tensor(2.0, device=device)
    for call in (
        lambda: gpukit.movedim(x, 0, 0),
        lambda: gpukit.moveaxis(x, -1, 0),
        lambda: gpukit.movedim(x, (0,), (-1,)),
        lambda: gpukit.movedim(x, (), ()),
    ):
        assert call().shape == ()
    assert gpukit.diff(gpukit.zeros(3), n=0, append=gpukit.ones(1)).tolist() == [0, 0, 0]
    with pytest.raises(gpukit.ShapeError, match="prepend or append is"):
        gpukit.diff(gpukit.zeros(3), n=0, append=x.cpu())


@pytest.mark.parametrize(
    "equation", ["i->", "ij->i", "ij->", "ii", "ii->i", "i,j->", "ij,jk->", "ij,jk->ik", "i,i->"]
)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float32"])
def test_einsum_adds_integers_in_64_bits(equation, dtype, device):
    ranks = [len(part) for part in equation.partition("->")[0].split(",")]
    pairs = [pair(dtype, device, [100, 90] if r == 1 else [[100, 90], [80, 3]]) for r in ranks]
    want = torch.einsum(equation, *(x for x, _ in pairs))
    same(want, gpukit.einsum(equation, *(a for _, a in pairs)))


@pytest.mark.parametrize("rank", range(1, 9))
def test_repeat_and_tile_up_to_eight_dimensions(rank, device):
    x, a = pair("int64", device, [[1, 2], [3, 4]][: rank if rank < 2 else None])
    x, a = (x[0], a[0]) if rank < 2 else (x, a)
    counts = [1, 2, 1, 2, 1, 1, 2, 3][-rank:]
    same(x.repeat(*counts), a.repeat(*counts))
    same(x.tile(counts), a.tile(counts))


ARRAY_API: dict[str, tuple[Any, Any]] = {
    "sum": (np.sum, "sum"),
    "prod": (np.prod, "prod"),
    "max": (np.max, "max"),
    "min": (np.min, "min"),
    "mean": (np.mean, "mean"),
    "std": (np.std, "std"),
    "var": (np.var, "var"),
    "all": (np.all, "all"),
    "count_nonzero": (np.count_nonzero, "count_nonzero"),
}


@pytest.mark.parametrize("seed", range(30))
def test_array_api_along_random_axes(seed, device):
    from gpukit import array_api as xp

    draw = np.random.default_rng(seed)
    rank = int(draw.integers(1, 5))
    data = draw.normal(size=draw.integers(1, 6, rank))
    a = gpukit.tensor(data, device=device)
    axes = tuple(int(i) - rank * int(draw.integers(2)) for i in draw.permutation(rank))
    some, one = axes[: int(draw.integers(1, rank + 1))], axes[0]
    keep = bool(draw.integers(2))
    results = [
        (call(data, axis=some, keepdims=keep), getattr(xp, name)(a, axis=some, keepdims=keep))
        for call, name in ARRAY_API.values()
    ]
    steps = tuple(int(i) for i in draw.integers(-7, 8, len(some)))
    target = tuple(int(i) for i in draw.permutation(rank)[: len(some)])
    order = np.argsort(data, one)
    back = one if one < 0 else one - rank
    k = int(draw.integers(-6, 7))
    results += [
        (np.flip(data, some), xp.flip(a, axis=some)),
        (np.roll(data, steps, some), xp.roll(a, steps, axis=some)),
        (np.moveaxis(data, some, target), xp.moveaxis(a, some, target)),
        (np.expand_dims(data, (0, -1)), xp.expand_dims(a, (0, -1))),
        (np.cumsum(data, one), xp.cumulative_sum(a, axis=one)),
        (np.diff(data, 2, one, data, data), xp.diff(a, n=2, axis=one, prepend=a, append=a)),
        (np.concatenate([data, data], one), xp.concat([a, a], axis=one)),
        (np.stack([data, data], one), xp.stack([a, a], axis=one)),
        (np.sort(data, one), xp.sort(a, axis=one)),
        (
            np.take_along_axis(data, order, one),
            xp.take_along_axis(a, gpukit.tensor(order, device=device), axis=one),
        ),
        (np.repeat(data, 2, one), xp.repeat(a, 2, axis=one)),
        ((data * data).sum(one), xp.vecdot(a, a, axis=back)),
        (np.tensordot(data, data, (some, some)), xp.tensordot(a, a, axes=(some, some))),
        (np.eye(3, 5, k), xp.eye(3, 5, k=k, device=device)),
        (np.zeros((3, 5)), xp.eye(3, 5, k=2**63, device=device)),
        (np.zeros((3, 5)), xp.eye(3, 5, k=-(10**30), device=device)),
    ]
    for want, got in results:
        assert tuple(got.shape) == np.shape(want)
        np.testing.assert_allclose(np.asarray(got.cpu().double().tolist()), want, rtol=1e-9)


def test_expand_dims_refuses_an_axis_named_twice():
    from gpukit import array_api as xp

    with pytest.raises(ValueError, match="twice"):
        xp.expand_dims(xp.ones(3), (0, -3))


@pytest.mark.parametrize("shapes", [((3, 1),), ([2, 0],), ((3, 1), (2,)), (3, 1), ((),)])
def test_broadcast_shapes(shapes: tuple[Any, ...]) -> None:
    assert gpukit.broadcast_shapes(*shapes) == tuple(torch.broadcast_shapes(*shapes))

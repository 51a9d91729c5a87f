"""Every differentiable operation with inputs for it: for finite differences, devices and torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.operators import OPERATORS

Shape = tuple[int, ...]
Shapes = Callable[[np.random.Generator], list[Shape]]
Range = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """`function(xp, *inputs)` with xp gpukit or torch; inputs have the shapes and the ranges."""

    name: str
    function: Callable[..., Any]
    shapes: Shapes
    ranges: tuple[Range, ...] = ((-2.0, 2.0),)

    def inputs(self, seed: int) -> list[np.ndarray]:
        """Arrays for one seed; no two elements are near each other, so that no kink is met."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        shapes = self.shapes(rng)
        ranges = self.ranges * len(shapes) if len(self.ranges) == 1 else self.ranges
        steps = sum(int(np.prod(shape)) for shape in shapes)
        order = rng.permutation(steps)
        arrays, start = [], 0
        for shape, (low, high) in zip(shapes, ranges, strict=True):
            count = int(np.prod(shape))
            places = (order[start : start + count] + 0.5 + 0.2 * rng.random(count)) / max(steps, 1)
            arrays.append((low + (high - low) * places).reshape(shape))
            start += count
        return arrays


def any_shape(
    rng: np.random.Generator, lowest: int = 0, highest: int = 3, largest: int = 3
) -> Shape:
    rank = int(rng.integers(lowest, highest + 1))
    return tuple(int(size) for size in rng.integers(1, largest + 1, rank))


def one(lowest: int = 0, highest: int = 3, largest: int = 3) -> Shapes:
    return lambda rng: [any_shape(rng, lowest, highest, largest)]


def two_broadcast(rng: np.random.Generator) -> list[Shape]:
    """Two shapes that broadcast together."""
    whole = any_shape(rng, 0, 3)
    shapes = []
    for _ in range(2):
        kept = whole[int(rng.integers(0, len(whole) + 1)) :]
        shapes.append(tuple(size if rng.random() < 0.7 else 1 for size in kept))
    return shapes


def three_broadcast(rng: np.random.Generator) -> list[Shape]:
    a, b = two_broadcast(rng)
    return [a, b, b]


def same(count: int, lowest: int = 1, highest: int = 3) -> Shapes:
    def shapes(rng: np.random.Generator) -> list[Shape]:
        return [any_shape(rng, lowest, highest)] * count

    return shapes


def fixed(*shapes: Shape) -> Shapes:
    return lambda _: list(shapes)


def matrices(rng: np.random.Generator) -> list[Shape]:
    m, k, n = (int(size) for size in rng.integers(1, 4, 3))
    return [(m, k), (k, n)]


def products(rng: np.random.Generator) -> list[Shape]:
    """Operands of @: vectors, matrices and stacks."""
    m, k, n, b = (int(size) for size in rng.integers(1, 4, 4))
    left = [(k,), (m, k), (b, m, k), (1, m, k), (2, 1, m, k)][int(rng.integers(0, 5))]
    right = [(k,), (k, n), (b, k, n), (1, k, n)][int(rng.integers(0, 4))]
    return [left, right]


def stacks(rng: np.random.Generator) -> list[Shape]:
    b, m, k, n = (int(size) for size in rng.integers(1, 4, 4))
    return [(b, m, k), (b, k, n)]


def addmm_shapes(rng: np.random.Generator) -> list[Shape]:
    (m, k), (_, n) = matrices(rng)
    first: list[Shape] = [(n,), (m, n), (1, n), (m, 1), ()]
    return [first[int(rng.integers(0, 5))], (m, k), (k, n)]


def vectors(rng: np.random.Generator) -> list[Shape]:
    return [(int(rng.integers(1, 5)),), (int(rng.integers(1, 5)),)]


def indices(xp: Any, values: Any, like: Any) -> Any:
    return xp.tensor(values, device=like.device)


POSITIVE: Range = (0.2, 3.0)
UNIT: Range = (-0.9, 0.9)

# Operators whose derivatives finite differences meet; gelu has its own case, for torch's name.
ELEMENTWISE = [row for row in OPERATORS.values() if row.differentiable and row.name != "gelu"]


def named(name: str) -> Callable[..., Any]:
    return lambda xp, *inputs: getattr(xp, name)(*inputs)


def gelu(xp: Any, x: Any) -> Any:
    return xp.gelu(x) if hasattr(xp, "gelu") else xp.nn.functional.gelu(x)


def mask_of(x: Any) -> Any:
    return x.detach() > 0


def assigned(xp: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z[1:, 0] = y
    z[0] = 2.0
    return z


def assigned_by_index(xp: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z[indices(xp, [2, 0], x)] = y
    return z * z


def in_place(name: str, *others: Any) -> Callable[..., Any]:
    """x * 1, changed in place, then used."""

    def function(xp: Any, x: Any, *inputs: Any) -> Any:
        z = x * 1
        getattr(z, name)(*inputs, *others)
        return z * z

    return function


def with_index(name: str, values: Any, dim: int = 0) -> Callable[..., Any]:
    return lambda xp, x: getattr(xp, name)(x, dim, indices(xp, values, x))


CASES: list[Case] = [
    *(
        Case(row.name, named(row.name), one() if row.operands == 1 else two_broadcast, row.sampled)
        for row in ELEMENTWISE
    ),
    Case("gelu", gelu, one()),
    # numbers on either side
    Case("polygamma 0", lambda xp, x: xp.polygamma(0, x), one(), (POSITIVE,)),
    Case("polygamma 1", lambda xp, x: xp.polygamma(1, x), one(), (POSITIVE,)),
    Case("polygamma 2", lambda xp, x: x.polygamma(2), one(), ((-0.9, -0.1),)),
    Case("zeta", lambda xp, x: xp.special.zeta(3.0, x) * 1, one(), (POSITIVE,)),
    Case("logit eps", lambda xp, x: xp.logit(x, 0.25), one(), ((0.26, 0.74),)),
    Case("mvlgamma", lambda xp, x: xp.mvlgamma(x, 3) * 1, one(), ((1.2, 3.0),)),
    Case("sinc of negative", named("sinc"), one()),
    Case("xlogy number", lambda xp, x: xp.xlogy(2.0, x) * 1, one(), (POSITIVE,)),
    Case("x + 2", lambda xp, x: x + 2, one()),
    Case("2 - x", lambda xp, x: 2 - x, one()),
    Case("x * 3", lambda xp, x: x * 3, one()),
    Case("x / 3", lambda xp, x: x / 3, one()),
    Case("3 / x", lambda xp, x: 3 / x, one(), (POSITIVE,)),
    Case("x ** 3", lambda xp, x: x**3, one()),
    Case("x ** 2", lambda xp, x: x**2, one()),
    Case("x ** 0", lambda xp, x: x**0, one()),
    Case("x ** -1.5", lambda xp, x: x**-1.5, one(), (POSITIVE,)),
    Case("2 ** x", lambda xp, x: 2.0**x, one()),
    Case("x % 3.7", lambda xp, x: x % 3.7, one()),
    Case("add alpha", lambda xp, x, y: xp.add(x, y, alpha=2), two_broadcast),
    Case("sub alpha", lambda xp, x, y: xp.sub(x, y, alpha=3), two_broadcast),
    Case("div floor", lambda xp, x: xp.div(x, 0.7, rounding_mode="trunc") + x, one()),
    # choices
    Case("where", lambda xp, x, y, z: xp.where(mask_of(x), y, z * y), three_broadcast),
    Case("where number", lambda xp, x: xp.where(mask_of(x), x * x, 0.5), one()),
    Case("clamp", lambda xp, x: xp.clamp(x, -1.03, 1.01), one()),
    Case("clamp min", lambda xp, x: xp.clamp(x, min=0.031), one()),
    Case("clamp max", lambda xp, x: xp.clamp(x, max=0.031), one()),
    # products
    Case("matmul", lambda xp, x, y: x @ y, products),
    Case("mm", named("mm"), matrices),
    Case("bmm", named("bmm"), stacks),
    Case("mv", named("mv"), fixed((3, 2), (2,))),
    Case("dot", named("dot"), fixed((4,), (4,))),
    Case("outer", named("outer"), vectors),
    Case("addmm", named("addmm"), addmm_shapes),
    Case("addmm factors", lambda xp, c, x, y: xp.addmm(c, x, y, beta=0.5, alpha=2), addmm_shapes),
    Case("transposed product", lambda xp, x, y: x.T @ y.t() @ y @ x, fixed((2, 3), (4, 2))),
    # reductions
    Case("sum", lambda xp, x: x.sum() * x, one()),
    Case("sum dim", lambda xp, x: x.sum(0) * 2, one(1)),
    Case("sum dims", lambda xp, x: x.sum((0, -1), keepdim=True) * x, one(2)),
    Case("mean", lambda xp, x: x.mean(), one()),
    Case("mean dim", lambda xp, x: x.mean(-1), one(1)),
    Case("prod", lambda xp, x: x.prod(), one()),
    Case("prod dim", lambda xp, x: x.prod(0, keepdim=True), one(1)),
    Case("prod with zeros", lambda xp, x: (x * xp.where(mask_of(x), x, 0.0)).prod(-1), one(1)),
    Case("max", lambda xp, x: x.max(), one()),
    Case("min", lambda xp, x: x.min(), one()),
    Case("max dim", lambda xp, x: x.max(0).values, one(1)),
    Case("min dim", lambda xp, x: x.min(-1, keepdim=True)[0], one(1)),
    Case("amax", lambda xp, x: xp.amax(x, (0, 1)), one(2)),
    Case("amin", lambda xp, x: xp.amin(x, 0, True), one(1)),
    Case("var", lambda xp, x: x.var(), fixed((2, 3))),
    Case("var dim", lambda xp, x: x.var(0, correction=0), one(1)),
    Case("std dim", lambda xp, x: x.std(0, correction=0.5), fixed((3, 2))),
    Case("norm", lambda xp, x: xp.norm(x), one(1)),
    Case("norm 1", lambda xp, x: xp.norm(x, 1, dim=0), one(1)),
    Case("norm 3", lambda xp, x: xp.norm(x, 3.0, dim=-1), one(1)),
    Case("norm inf", lambda xp, x: xp.norm(x, float("inf")), one(1)),
    Case("norm -inf", lambda xp, x: xp.norm(x, -float("inf"), dim=0), one(1)),
    Case("logsumexp", lambda xp, x: xp.logsumexp(x, 0), one(1)),
    Case("cumsum", lambda xp, x: xp.cumsum(x, -1) * x, one(1)),
    Case("cumprod", lambda xp, x: xp.cumprod(x, 0), one(1)),
    Case("cumprod zeros", lambda xp, x: xp.cumprod(xp.where(mask_of(x), x, x * 0.0), 0), one(1)),
    Case("softmax", lambda xp, x: xp.softmax(x, 0), one(1)),
    Case("log_softmax", lambda xp, x: xp.log_softmax(x, -1), one(1)),
    Case("sort", lambda xp, x: xp.sort(x, -1, True)[0] * 3, one(1)),
    Case("topk", lambda xp, x: xp.topk(x, 2, 0).values, fixed((4, 3))),
    # views
    Case("reshape", lambda xp, x: x.reshape(-1) * 2, one()),
    Case("reshape of view", lambda xp, x: x.T.reshape(-1) * 2, fixed((3, 2))),
    Case("view", lambda xp, x: x.view(2, -1), fixed((3, 4))),
    Case("flatten", lambda xp, x: xp.flatten(x, 1) * 2, one(2)),
    Case("squeeze", lambda xp, x: x.squeeze() * 2, one()),
    Case("squeeze dim", lambda xp, x: x.squeeze(0) * 2, fixed((1, 3))),
    Case("unsqueeze", lambda xp, x: x.unsqueeze(-1) * 2, one()),
    Case("permute", lambda xp, x: x.permute(2, 0, 1), fixed((2, 3, 1))),
    Case("transpose", lambda xp, x: xp.transpose(x, 0, -1), one(1)),
    Case("t", lambda xp, x: x.t() * 2, one(1, 2)),
    Case("T", lambda xp, x: x.T * 2, one(2, 2)),
    Case("mT", lambda xp, x: x.mT * 2, one(2)),
    Case("expand", lambda xp, x: x.expand(2, *x.shape) * 2, one()),
    Case("broadcast_to", lambda xp, x: xp.broadcast_to(x, (2, 3)) * 2, fixed((3,))),
    Case("flip", lambda xp, x: xp.flip(x, (0,)) * x, one(1)),
    Case("diagonal", lambda xp, x: xp.diagonal(x, 1) * 2, fixed((3, 4))),
    Case("narrow", lambda xp, x: xp.narrow(x, 0, 1, 2) * 2, fixed((3, 2))),
    Case("select", lambda xp, x: x.select(1, -1) * 2, fixed((3, 2))),
    Case("tril", lambda xp, x: xp.tril(x, -1), fixed((3, 3))),
    Case("triu", lambda xp, x: xp.triu(x), fixed((2, 3, 3))),
    Case("cat", lambda xp, x, y: xp.cat([x, y, x]), same(2)),
    Case("cat other dim", lambda xp, x, y: xp.cat([x, y], -1), fixed((2, 3), (2, 1))),
    Case("stack", lambda xp, x, y: xp.stack([x, y], -1), same(2, 0)),
    Case("split", lambda xp, x: [p * (i + 1) for i, p in enumerate(xp.split(x, 2))], one(1)),
    Case("split sizes", lambda xp, x: xp.split(x, [1, 2])[1] * 2, fixed((3, 2))),
    Case("chunk", lambda xp, x: [p * p for p in xp.chunk(x, 2, -1)], one(1)),
    Case("unbind", lambda xp, x: [p * p for p in xp.unbind(x, 0)], one(1)),
    Case("iteration", lambda xp, x: [row * i for i, row in enumerate(x)], one(1)),
    Case("repeat", lambda xp, x: x.repeat(2, 3), one(1, 2)),
    Case("repeat more", lambda xp, x: x.repeat(2, 1, 2) * 2, fixed((2, 3))),
    # indexing
    Case("x[1]", lambda xp, x: x[1] * 2, fixed((3, 2))),
    Case("x[1:, ::2]", lambda xp, x: x[1:, ::2] * x[:2, 1:3], fixed((3, 4))),
    Case("x[..., None]", lambda xp, x: x[..., None] * 2, one()),
    Case("x[index]", lambda xp, x: x[indices(xp, [0, 2, 0], x)] * 2, fixed((3, 2))),
    Case("x[:, index, None]", lambda xp, x: x[:, indices(xp, [1, 1], x), None], fixed((2, 3))),
    Case("x[index, index]", lambda xp, x: x[indices(xp, [0, 1], x), indices(xp, [2, 0], x)],
         fixed((2, 3))),
    Case("x[mask]", lambda xp, x: x[mask_of(x)] * 2, one(1)),
    Case("x[...] = y", assigned, fixed((3, 2), (2,))),
    Case("x[index] = y", assigned_by_index, fixed((3, 2), (2,))),
    Case("index_select", with_index("index_select", [0, 2, 0]), fixed((3, 2))),
    Case("take", lambda xp, x: xp.take(x, indices(xp, [[0, 3], [3, 5]], x)) * 2, fixed((3, 2))),
    Case("gather", with_index("gather", [[0, 1, 0], [1, 1, 0]], 0), fixed((2, 3))),
    Case("masked_select", lambda xp, x: xp.masked_select(x, mask_of(x)) * 2, one(1)),
    Case("masked_fill", lambda xp, x: x.masked_fill(mask_of(x), 0.5) * x, one()),
    Case("masked_fill by a tensor",
         lambda xp, x, y: x.masked_fill(mask_of(x), y) * x, lambda rng: [any_shape(rng), ()]),
    # conversions
    Case("clone", lambda xp, x: x.clone() * 2, one()),
    Case("contiguous", lambda xp, x: x.T.contiguous() * 2, one(2, 2)),
    # in place
    Case("add_", in_place("add_"), same(2)),
    Case("sub_", in_place("sub_"), same(2)),
    Case("mul_", in_place("mul_"), same(2)),
    Case("mul_ number", in_place("mul_", 3.0), one()),
    Case("div_", in_place("div_"), same(2), (POSITIVE,)),
    Case("pow_", in_place("pow_", 3.0), one()),
    Case("exp_", in_place("exp_"), one()),
    Case("relu_", in_place("relu_"), one()),
    Case("clamp_", in_place("clamp_", -1.03, 1.01), one()),
    Case("zero_", lambda xp, x: x * in_place("zero_")(xp, x), one()),
    Case("fill_", lambda xp, x: x * in_place("fill_", 2.0)(xp, x), one()),
    Case("copy_", in_place("copy_"), fixed((2, 3), (3,))),
    Case("masked_fill_", lambda xp, x: in_place("masked_fill_", mask_of(x), 0.5)(xp, x), one()),
    Case("masked_fill_ by a tensor",
         lambda xp, x, y: in_place("masked_fill_", mask_of(x), y * 1)(xp, x),
         lambda rng: [any_shape(rng), ()]),
    Case("masked_fill_ of a constant",
         lambda xp, y: xp.ones((2, 2), device=y.device, dtype=y.dtype).masked_fill_(
             xp.eye(2, device=y.device) > 0, y) * y, fixed(())),
    Case("index_add_", lambda xp, x, y: (x * 1).index_add_(0, indices(xp, [1, 1], x), y) * y.sum(),
         fixed((3, 2), (2, 2))),
    Case("scatter_", lambda xp, x, y: (x * 1).scatter_(0, indices(xp, [[2, 0]], x), y) * 2,
         fixed((3, 2), (1, 2))),
    Case("scatter_add_", lambda xp, x, y: (x * 1).scatter_add_(0, indices(xp, [[2, 0]], x), y) * 2,
         fixed((3, 2), (1, 2))),
]  # fmt: skip

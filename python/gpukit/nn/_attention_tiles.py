"""Attention in tiles of queries: only one tile of weights is in memory at a time.

Each tile sees whole rows of weights, so a plain softmax does. The gradients compute the weights of
a tile again from the saved queries and keys.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import enable_grad, grad
from gpukit.autograd.function import Function
from gpukit.nn._dropping import dropout

# Elements of a tile of weights: 1 MiB of float32, so that it stays in a core's cache.
_TILE = 1 << 18
# Queries of a tile whose later keys are not seen: the fewer, the less is computed in vain.
_CAUSAL_ROWS = 64


@dataclass(frozen=True)
class Weighing:
    """Everything of a call but its tensors."""

    mask: Tensor | None
    causal: bool
    factor: float
    dropout: float


class _Tile(NamedTuple):
    """Rows of queries of some products of the batch, and how many keys they see."""

    first: int
    products: int
    row: int
    rows: int
    keys: int

    def of(self, tensor: Tensor) -> Tensor:
        """Its rows of (batch, L, …)."""
        return tensor.narrow(0, self.first, self.products).narrow(1, self.row, self.rows)

    def seen(self, tensor: Tensor) -> Tensor:
        """Its keys or values of (batch, S, …)."""
        return tensor.narrow(0, self.first, self.products).narrow(1, 0, self.keys)


def _unseen(rows: int, keys: int, device: Any) -> Tensor:
    """True where a causal query does not see a key."""
    return _core.ones((rows, keys), dtype=_core.bool, device=device).tril().logical_not()


def _masked(scores: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Scores under a mask, and the rows without a key, whose weights and gradients are 0."""
    if mask.dtype == _core.bool:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    else:
        scores = scores + mask
    empty = (scores.detach() == -math.inf).all(-1, keepdim=True)
    return scores.masked_fill(empty, 0), empty


def _weights(call: Weighing, scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax of scores."""
    if call.causal:
        unseen = _unseen(scores.shape[-2], scores.shape[-1], scores.device)
        return scores.masked_fill(unseen, -math.inf).softmax(-1)
    if mask is None:
        return scores.softmax(-1)
    scores, empty = _masked(scores, mask)
    return scores.softmax(-1).masked_fill(empty, 0)


def whole(
    call: Weighing, query: Tensor, key: Tensor, value: Tensor, factors: Tensor | None = None
) -> Tensor:
    """All weights at once, recorded; `factors` are those of a dropout that was drawn before."""
    weights = _weights(call, (query * call.factor) @ key.mT, call.mask)
    weights = dropout(weights, call.dropout) if factors is None else weights * factors
    return weights @ value


class _Plan:
    """The tiles of a call, their masks and what their dropout draws."""

    def __init__(self, call: Weighing, query: Tensor, key: Tensor, batch: tuple[int, ...]) -> None:
        self.call, self.batch = call, batch
        self.length, self.keys = query.shape[-2], key.shape[-2]
        self.device, self.dtype = query.device, query.dtype
        mask = call.mask
        self.one_mask = mask is None or math.prod(mask.shape[:-2]) == 1
        if mask is not None and self.one_mask:
            mask = mask.reshape(mask.shape[-2:]) if mask.ndim > 1 else mask
        elif mask is not None:
            mask = mask.expand(*batch, *mask.shape[-2:])
        self.mask = mask
        self.rows = min(self.length, max(_TILE // self.keys, 1))
        self.each = max(_TILE // (self.length * self.keys), 1) if self.one_mask else 1
        if call.causal:
            self.rows = min(self.rows, _CAUSAL_ROWS)
            self.each = max(_TILE // (self.rows * self.keys), 1)
            self.unseen = _unseen(self.rows, self.rows, self.device)
        self.seed = int(_core.randint(0, 2**62, ()).item()) if call.dropout else 0

    def tiles(self) -> Iterator[_Tile]:
        """All of them, in one order."""
        total = math.prod(self.batch)
        for first in range(0, total, self.each):
            products = min(self.each, total - first)
            for row in range(0, self.length, self.rows):
                count = min(self.rows, self.length - row)
                keys = min(self.keys, row + count) if self.call.causal else self.keys
                yield _Tile(first, products, row, count, keys)

    def weights(self, tile: _Tile, query: Tensor, keys: Tensor) -> Tensor:
        """The softmax of a tile: of queries with their factor, and keys as (batch, E, S)."""
        seen = keys.narrow(0, tile.first, tile.products).narrow(2, 0, tile.keys)
        scores = _core.bmm(tile.of(query), seen)
        if not self.call.causal:
            return _weights(self.call, scores, self._mask_of(tile))
        later = tile.keys - tile.row
        if later > 0:  # fewer keys than queries are all seen by the last ones
            unseen = self.unseen.narrow(0, 0, tile.rows).narrow(1, 0, later)
            scores.narrow(2, tile.row, later).masked_fill_(unseen, -math.inf)
        return scores.softmax(-1)

    def _mask_of(self, tile: _Tile) -> Tensor | None:
        mask = self.mask
        if mask is None:
            return None
        if not self.one_mask:
            place, at = tile.first, []
            for size in reversed(self.batch):
                place, rest = divmod(place, size)
                at.append(rest)
            mask = mask[tuple(reversed(at))]
        rows = mask.ndim > 1 and mask.shape[-2] > 1
        return mask.narrow(-2, tile.row, tile.rows) if rows else mask

    def factors(self) -> Iterator[Tensor | None]:
        """What dropout multiplies the weights of each tile with: the same in every pass."""
        p = self.call.dropout
        generator = _core.Generator(self.device).manual_seed(self.seed) if p else None
        for tile in self.tiles():
            if generator is None:
                yield None
                continue
            shape = (tile.products, tile.rows, tile.keys)
            kept = _core.rand(shape, device=self.device, generator=generator) >= p
            yield kept.to(self.dtype) * (0.0 if p == 1 else 1 / (1 - p))

    def all_factors(self) -> Tensor:
        """Those of the whole, (*batch, L, S)."""
        shape = (math.prod(self.batch), self.length, self.keys)
        whole = _core.ones(shape, dtype=self.dtype, device=self.device)
        for tile, factors in zip(self.tiles(), self.factors(), strict=True):
            if factors is not None:
                tile.of(whole)[..., : tile.keys] = factors
        return whole.reshape(*self.batch, self.length, self.keys)


class _Tiles(Function):
    """Attention of (batch, L, E), (batch, S, E) and (batch, S, V)."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, plan: _Plan) -> Tensor:
        """The result, tile by tile."""
        shape = (*query.shape[:-1], value.shape[-1])
        out = _core.empty(shape, dtype=query.dtype, device=query.device)
        scaled, keys = query * plan.call.factor, key.mT.contiguous()
        for tile, factors in zip(plan.tiles(), plan.factors(), strict=True):
            weights = plan.weights(tile, scaled, keys)
            weights = weights if factors is None else weights * factors
            tile.of(out).copy_(_core.bmm(weights, tile.seen(value)))
        ctx.plan = plan
        ctx.save_for_backward(query, key, value, out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The weights of each tile once more, and what they say about their gradients."""
        query, key, value, out = ctx.saved_tensors
        plan = ctx.plan
        if _core.is_grad_enabled():
            return (*_recorded(plan, query, key, value, gradient), None)
        by_query, by_key, by_value = (_core.zeros_like(each) for each in (query, key, value))
        scaled, keys = query * plan.call.factor, key.mT.contiguous()
        for tile, factors in zip(plan.tiles(), plan.factors(), strict=True):
            weights = plan.weights(tile, scaled, keys)
            g = tile.of(gradient)
            dropped = weights if factors is None else weights * factors
            tile.seen(by_value).add_(_core.bmm(dropped.mT, g))
            slopes = _core.bmm(g, tile.seen(value).mT)
            slopes = slopes if factors is None else slopes * factors
            rows = (g * tile.of(out)).sum(-1, keepdim=True)
            slopes = slopes.sub_(rows).mul_(weights)
            tile.of(by_query).copy_(_core.bmm(slopes, tile.seen(key)))
            tile.seen(by_key).add_(_core.bmm(slopes.mT, tile.of(scaled)))
        return by_query.mul_(plan.call.factor), by_key, by_value, None


def _recorded(
    plan: _Plan, query: Tensor, key: Tensor, value: Tensor, gradient: Tensor
) -> tuple[Tensor | None, ...]:
    """The gradients with graphs of their own, of the whole at once."""
    inputs = (query, key, value)
    wanted = [each for each in inputs if each.requires_grad]
    with enable_grad():
        q, k, v = (each.reshape(*plan.batch, *each.shape[-2:]) for each in inputs)
        factors = plan.all_factors() if plan.call.dropout else None
        out = whole(plan.call, q, k, v, factors).reshape(gradient.shape)
        found = iter(grad(out, wanted, gradient, create_graph=True))
    return tuple(next(found) if each.requires_grad else None for each in inputs)


def in_tiles(
    call: Weighing, query: Tensor, key: Tensor, value: Tensor, batch: tuple[int, ...]
) -> Tensor:
    """The result of any batch dimensions, which broadcast to `batch`."""
    plan = _Plan(call, query, key, batch)
    total = math.prod(batch)
    flat = [
        each.expand(*batch, *each.shape[-2:]).reshape(total, *each.shape[-2:])
        for each in (query, key, value)
    ]
    out: Tensor = _Tiles.apply(*flat, plan)
    return out.reshape(*batch, query.shape[-2], value.shape[-1])

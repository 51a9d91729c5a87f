"""Attention as functions: dot products of queries and keys weigh the values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._dropping import check_probability, dropout

# Elements of one block of weights, where no gradient is recorded: 16 MiB of float32.
_BLOCK = 1 << 22


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Compute `softmax(query @ key.mT * scale + mask) @ value` (Vaswani and others, 2017).

    Without recorded gradients and dropout long sequences are computed in blocks of queries, so that
    memory grows linearly with their number. A query whose keys are all masked gives zeros.

    Args:
        query: (…, L, E), floating.
        key: (…, S, E).
        value: (…, S, V).
        attn_mask: Broadcasts to (…, L, S). bool: False masks the key; floating: added.
        dropout_p: Probability of a weight to become 0. It applies always: pass 0.0 in evaluation.
        is_causal: Query i sees the keys up to i only.
        scale: Factor of the products; None is 1 / sqrt(E).
        enable_gqa: Repeat the heads (dimension -3) of key and value until they match the query's.

    Returns:
        (…, L, V).

    Raises:
        ShapeError: Sizes do not fit.
        DTypeError: The dtypes differ, or the mask's is neither bool nor the query's.
        ArgumentError: Both attn_mask and is_causal were given.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[[1.0, 0.0], [0.0, 1.0]]])
        >>> gpukit.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
        tensor([[[1.0000, 0.0000],
                 [0.3302, 0.6698]]])
    """
    op = "scaled_dot_product_attention"
    for name, each in (("query", query), ("key", key), ("value", value)):
        tensor_of(op, name, each)
        if each.ndim < 2:
            raise ShapeError(
                f"{op}: {name} must have 2 or more dimensions, its shape is {tuple(each.shape)}"
            )
        if each.dtype != query.dtype:
            raise DTypeError(
                f"{op}: {name} is {each.dtype.name} and query {query.dtype.name}. Convert one: "
                f"{name}.to(query.dtype)"
            )
    if enable_gqa:
        key, value = (_repeated(op, name, each, query) for name, each in _pair(key, value))
    _check_sizes(op, query, key, value)
    check_probability(op, dropout_p)
    if attn_mask is not None:
        tensor_of(op, "attn_mask", attn_mask)
        if is_causal:
            raise ArgumentError(f"{op}: attn_mask and is_causal were both given; use one of them")
        if attn_mask.dtype not in {_core.bool, query.dtype}:
            raise DTypeError(
                f"{op}: attn_mask must be bool or {query.dtype.name}, as query, it is "
                f"{attn_mask.dtype.name}"
            )
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    call = _Weighing(key, value, attn_mask, is_causal, factor, dropout_p)
    return _in_blocks(call, query)


@dataclass(frozen=True)
class _Weighing:
    """Everything of a call but its queries."""

    key: Tensor
    value: Tensor
    mask: Tensor | None
    causal: bool
    factor: float
    dropout: float

    def of(self, query: Tensor, first: int) -> Tensor:
        """The result of queries that begin at row `first`."""
        scores = (query * self.factor) @ self.key.mT
        rows = query.shape[-2]
        if self.causal:
            shape = (rows, self.key.shape[-2])
            seen = _core.ones(shape, dtype=_core.bool, device=query.device).tril(first)
            scores = scores.masked_fill(seen.logical_not(), -math.inf)
        elif self.mask is not None:
            mask = self.mask
            if mask.ndim > 1 and mask.shape[-2] > 1:
                mask = mask.narrow(-2, first, rows)
            return self._dropped(_masked_weights(scores, mask)) @ self.value
        return self._dropped(scores.softmax(-1)) @ self.value

    def _dropped(self, weights: Tensor) -> Tensor:
        return dropout(weights, self.dropout)


def _masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax under a mask; rows without a key are 0, and so are their gradients."""
    if mask.dtype == _core.bool:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    else:
        scores = scores + mask
    empty = (scores.detach() == -math.inf).all(-1, keepdim=True)
    return scores.masked_fill(empty, 0).softmax(-1).masked_fill(empty, 0)


def _in_blocks(call: _Weighing, query: Tensor) -> Tensor:
    """Blocks of queries where nothing is recorded; all at once otherwise, as weights are saved."""
    length = query.shape[-2]
    row = max(call.key.shape[-2] * math.prod(query.shape[:-2]), 1)
    rows = max(_BLOCK // row, 1)
    inputs = [query, call.key, call.value]
    records = _core.is_grad_enabled() and any(each.requires_grad for each in inputs)
    if records or call.dropout or rows >= length:
        return call.of(query, 0)
    parts = [
        call.of(query.narrow(-2, first, min(rows, length - first)), first)
        for first in range(0, length, rows)
    ]
    return _core.cat(parts, -2)


def _pair(key: Tensor, value: Tensor) -> tuple[tuple[str, Tensor], tuple[str, Tensor]]:
    return ("key", key), ("value", value)


def _repeated(op: str, name: str, tensor: Tensor, query: Tensor) -> Tensor:
    """The heads of dimension -3, each repeated for the queries' heads that share it."""
    if tensor.ndim < 3 or query.ndim < 3 or query.shape[-3] % max(tensor.shape[-3], 1):
        raise ShapeError(
            f"{op}: enable_gqa needs a number of query heads (dimension -3) that is a multiple of "
            f"{name}'s; query is {tuple(query.shape)}, {name} {tuple(tensor.shape)}"
        )
    return tensor.repeat_interleave(query.shape[-3] // max(tensor.shape[-3], 1), -3)


def _check_sizes(op: str, query: Tensor, key: Tensor, value: Tensor) -> None:
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(
            f"{op}: the last sizes of query {tuple(query.shape)} and key {tuple(key.shape)} must "
            f"be equal, {query.shape[-1]} is not {key.shape[-1]}"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"{op}: key {tuple(key.shape)} has {key.shape[-2]} rows and value "
            f"{tuple(value.shape)} has {value.shape[-2]}; they must be equal"
        )

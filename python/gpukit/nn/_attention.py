"""Attention as functions: dot products of queries and keys weigh the values."""

from __future__ import annotations

import math

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._attention_in_one import has_it, in_one
from gpukit.nn._attention_tiles import Weighing, in_tiles, whole
from gpukit.nn._dropping import check_probability

# Elements of a matrix of weights that is computed at once and kept for the gradients.
_WHOLE = 1 << 18


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

    Long sequences are computed in tiles of queries, whose weights are computed again for the
    gradients, so that memory grows linearly with the length (after Dao and others, 2022,
    arXiv:2205.14135). A query whose keys are all masked gives zeros.

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
    call = Weighing(attn_mask, is_causal, factor, dropout_p)
    return _attended(call, query, key, value)


def _attended(call: Weighing, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """All at once where that is little, or where the mask is trained; else in tiles."""
    batch = _core.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    weights = math.prod(batch) * query.shape[-2] * key.shape[-2]
    trained = call.mask is not None and call.mask.requires_grad
    drawn = bool(call.dropout) and query.is_cuda and _core.current_graph() is not None
    if weights <= _WHOLE or trained or drawn:
        return whole(call, query, key, value)
    if has_it(call, query, key, value):
        return in_one(call, query, key, value, tuple(batch))
    return in_tiles(call, query, key, value, tuple(batch))


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

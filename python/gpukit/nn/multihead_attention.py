"""Attention of several heads as a layer."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, tensor_of
from gpukit._asserted import AssertedError, AssertedShapeError
from gpukit._core import Tensor, linear
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn._dropping import check_probability
from gpukit.nn.linear import Linear
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that torch prints for the output of attention."""


class MultiheadAttention(Module):
    """Attends to several projections of the inputs at once (Vaswani and others, 2017).

    Each head computes `softmax(q @ k.mT / sqrt(embed_dim / num_heads)) @ v` of its projections;
    `out_proj` joins the heads.

    Args:
        embed_dim: Features of queries and results; a multiple of num_heads.
        num_heads: Number of heads.
        dropout: Probability of a weight to become 0 while training.
        bias: With biases in all projections.
        add_bias_kv: Append a learned key and value to the sequence.
        add_zero_attn: Append a key and value of zeros.
        kdim: Features of keys; None is embed_dim.
        vdim: Features of values; None is embed_dim.
        batch_first: Inputs are (N, L, E) and not (L, N, E).
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.MultiheadAttention(4, 2, batch_first=True)
        >>> x = gpukit.ones(1, 3, 4)
        >>> result, weights = layer(x, x, x)
        >>> result.shape, weights.shape
        ((1, 3, 4), (1, 3, 3))
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None
    out_proj: Linear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.embed_dim = size = int_from(name, "embed_dim", embed_dim, 1)
        self.num_heads = int_from(name, "num_heads", num_heads, 1)
        self.kdim = size if kdim is None else int_from(name, "kdim", kdim, 1)
        self.vdim = size if vdim is None else int_from(name, "vdim", vdim, 1)
        if size % self.num_heads:
            raise AssertedError(
                f"{name}: embed_dim must be a multiple of num_heads, got {size} and "
                f"{self.num_heads}. Use embed_dim={size - size % self.num_heads or self.num_heads}"
            )
        check_probability(name, dropout)
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = size // self.num_heads
        self.add_zero_attn = add_zero_attn
        made = {"device": device, "dtype": dtype}

        def parameter(*shape: int) -> Parameter:
            return Parameter(_core.empty(shape, **made))

        self._qkv_same_embed_dim = self.kdim == size and self.vdim == size
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * size, size)
            for missing in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(missing, None)
        else:
            self.q_proj_weight = parameter(size, size)
            self.k_proj_weight = parameter(size, self.kdim)
            self.v_proj_weight = parameter(size, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * size) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(size, size, bias=bias, **made)
        self.bias_k = parameter(1, 1, size) if add_bias_kv else None
        self.bias_v = parameter(1, 1, size) if add_bias_kv else None
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw new weights as torch does: Xavier's, and biases of 0."""
        for weight in self._weights():
            init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
        if self.out_proj.bias is not None:
            init.zeros_(self.out_proj.bias)
        for learned in (self.bias_k, self.bias_v):
            if learned is not None:
                init.xavier_normal_(learned)

    def _weights(self) -> list[Parameter]:
        every = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return [weight for weight in every if weight is not None]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the results and, if they are needed, the weights.

        Args:
            query: (L, N, E), (N, L, E) with batch_first, or (L, E).
            key: (S, N, kdim), (N, S, kdim) with batch_first, or (S, kdim).
            value: As key, with vdim features.
            key_padding_mask: (N, S) or (S). bool: True leaves the key out; floating: added.
            need_weights: Return the weights too; without them less memory is used.
            attn_mask: (L, S) or (N * num_heads, L, S). bool: True leaves out; floating: added.
            average_attn_weights: Return the mean of the heads' weights.
            is_causal: A hint that attn_mask is the causal mask, which must be given too.

        Returns:
            (results of query's shape, weights (N, L, S), (N, num_heads, L, S) without the average,
            or None).

        Raises:
            ShapeError: Sizes do not fit.
            DTypeError: A mask is neither bool nor floating.
        """
        name = type(self).__name__
        batched = _check_inputs(name, query, key, value)
        if is_causal and attn_mask is None:
            raise ArgumentError(
                f"{name}: is_causal is a hint and needs attn_mask too. Use "
                "nn.Transformer.generate_square_subsequent_mask(L)"
            )
        same = query is key and key is value
        if not batched:
            query, key, value = (each.unsqueeze(1) for each in (query, key, value))
        elif self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        self._check_sizes(query, key, value)
        q, k, v = self._projected(query, key, value, same)
        length, batch = query.shape[:2]
        mask = self._attention_mask(attn_mask, batch, length, key.shape[0], q.dtype)
        padding = self._padding_mask(key_padding_mask, batched, batch, key.shape[0], q.dtype)
        if self.bias_k is not None and self.bias_v is not None:
            k = _core.cat([k, self.bias_k.expand(1, batch, self.embed_dim)])
            v = _core.cat([v, self.bias_v.expand(1, batch, self.embed_dim)])
            mask, padding = _widened(mask), _widened(padding)
        q, k, v = (self._heads(each, batch) for each in (q, k, v))
        if self.add_zero_attn:
            zeros = (
                _core.zeros_like(k.narrow(2, 0, 1))
                if k.shape[2]
                else k.new_zeros((batch, self.num_heads, 1, self.head_dim))
            )
            k, v = _core.cat([k, zeros], 2), _core.cat([v, zeros], 2)
            mask, padding = _widened(mask), _widened(padding)
        if padding is not None:
            mask = padding if mask is None else mask + padding
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = (q * math.sqrt(1 / self.head_dim)) @ k.mT
            weights = (scores if mask is None else scores + mask).softmax(-1)
            weights = F.dropout(weights, dropout)
            joined = weights @ v
        else:
            joined = F.scaled_dot_product_attention(q, k, v, mask, dropout)
        joined = joined.permute(2, 0, 1, 3).reshape(length, batch, self.embed_dim)
        result = self.out_proj(joined)
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            return result.squeeze(1), None if weights is None else weights.squeeze(0)
        return result.transpose(0, 1) if self.batch_first else result, weights

    def _check_sizes(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        wanted = {"query": self.embed_dim, "key": self.kdim, "value": self.vdim}
        for (name, features), each in zip(wanted.items(), (query, key, value), strict=True):
            if each.shape[-1] != features:
                raise AssertedShapeError(
                    f"{type(self).__name__}: {name} must have {features} features, its last size "
                    f"is {each.shape[-1]}"
                )
        if key.shape[:2] != value.shape[:2] or query.shape[1] != key.shape[1]:
            raise AssertedShapeError(
                f"{type(self).__name__}: query has {query.shape[1]} sequences of "
                f"{query.shape[0]}, key {key.shape[1]} of {key.shape[0]} and value "
                f"{value.shape[1]} of {value.shape[0]}. The numbers of sequences must be equal, "
                "and the lengths of key and value"
            )

    def _projected(
        self, query: Tensor, key: Tensor, value: Tensor, same: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The inputs times their weights: one product where all three are one tensor."""
        size = self.embed_dim
        if self.in_proj_weight is not None and same:
            whole = linear(query, self.in_proj_weight, self.in_proj_bias)
            q, k, v = (whole.narrow(-1, i * size, size) for i in range(3))
            return q, k, v
        biases = [None] * 3 if self.in_proj_bias is None else list(self.in_proj_bias.chunk(3))
        joined = self.in_proj_weight
        weights = self._weights() if joined is None else list(joined.chunk(3))
        q, k, v = (
            linear(x, weight, bias)
            for x, weight, bias in zip((query, key, value), weights, biases, strict=True)
        )
        return q, k, v

    def _heads(self, tensor: Tensor, batch: int) -> Tensor:
        """(L, N, E) as (N, heads, L, E / heads)."""
        shape = (tensor.shape[0], batch, self.num_heads, self.head_dim)
        return tensor.reshape(shape).permute(1, 2, 0, 3)

    def _attention_mask(
        self, mask: Tensor | None, batch: int, length: int, keys: int, dtype: Any
    ) -> Tensor | None:
        """attn_mask as numbers that broadcast to (N, heads, L, S)."""
        if mask is None:
            return None
        added = _added(type(self).__name__, "attn_mask", mask, dtype)
        allowed = (length, keys), (batch * self.num_heads, length, keys)
        if tuple(mask.shape) not in allowed:
            raise ShapeError(
                f"{type(self).__name__}: attn_mask must be {allowed[0]} or {allowed[1]}, its shape "
                f"is {tuple(mask.shape)}"
            )
        return added if mask.ndim == 2 else added.reshape(batch, self.num_heads, length, keys)

    def _padding_mask(
        self, mask: Tensor | None, batched: bool, batch: int, keys: int, dtype: Any
    ) -> Tensor | None:
        """key_padding_mask as numbers that broadcast to (N, heads, L, S)."""
        if mask is None:
            return None
        added = _added(type(self).__name__, "key_padding_mask", mask, dtype)
        wanted = (batch, keys) if batched else (keys,)
        if tuple(mask.shape) != wanted:
            raise AssertedShapeError(
                f"{type(self).__name__}: key_padding_mask must be {wanted}, its shape is "
                f"{tuple(mask.shape)}"
            )
        return added.reshape(batch, 1, 1, keys)


def _check_inputs(op: str, query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether the inputs have a dimension of sequences; an error where they differ in that."""
    for name, each in (("query", query), ("key", key), ("value", value)):
        tensor_of(op, name, each)
    dims = query.ndim, key.ndim, value.ndim
    if dims not in {(2, 2, 2), (3, 3, 3)}:
        raise AssertedShapeError(
            f"{op}: query, key and value must all have 3 dimensions, or all 2 without a batch; "
            f"they have {dims[0]}, {dims[1]} and {dims[2]}"
        )
    return dims[0] == 3


def _added(op: str, name: str, mask: Tensor, dtype: Any) -> Tensor:
    """A mask as numbers to add: -inf where a bool one is True."""
    tensor_of(op, name, mask)
    if mask.dtype == _core.bool:
        zeros = _core.zeros(mask.shape, dtype=dtype, device=mask.device)
        return zeros.masked_fill(mask, -math.inf)
    if not mask.is_floating_point():
        raise DTypeError(f"{op}: {name} must be bool or floating, it is {mask.dtype.name}")
    return mask.to(dtype)


def _widened(mask: Tensor | None) -> Tensor | None:
    """The mask with one more key, which every query sees."""
    return None if mask is None else F.pad(mask, (0, 1))

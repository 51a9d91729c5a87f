"""Attention as one operation of the device, which keeps no weights: where the device has it."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import enable_grad, grad
from gpukit.autograd.function import Function
from gpukit.nn._attention_tiles import Weighing, whole


def has_it(call: Weighing, query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Without a mask and without dropout, in dtypes that the device computes."""
    plain = call.mask is None and not call.dropout
    full = bool(query.numel() and key.numel() and value.numel())
    return plain and full and _core.has_attention(query)


class _InOne(Function):
    """Attention of (batch, L, E), (batch, S, E) and (batch, S, V)."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, call: Weighing) -> Tensor:
        """The result; the sums of exponentials are kept for the gradients."""
        out, log_sums = _core.attention_in_one(query, key, value, call.factor, call.causal)
        ctx.call, ctx.log_sums = call, log_sums
        ctx.save_for_backward(query, key, value, out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The weights once more, and what they say about their gradients."""
        query, key, value, out = ctx.saved_tensors
        call = ctx.call
        if not _core.is_grad_enabled():
            saved = (query, key, value, out, ctx.log_sums)
            return (*_core.attention_in_one_back(*saved, gradient, call.factor, call.causal), None)
        inputs = (query, key, value)
        wanted = [each for each in inputs if each.requires_grad]
        with enable_grad():
            again = whole(call, *inputs)
            found = iter(grad(again, wanted, gradient, create_graph=True))
        return (*(next(found) if each.requires_grad else None for each in inputs), None)


def in_one(
    call: Weighing, query: Tensor, key: Tensor, value: Tensor, batch: tuple[int, ...]
) -> Tensor:
    """The result of any batch dimensions, which broadcast to `batch`."""
    total = math.prod(batch)
    flat = [
        each.expand(*batch, *each.shape[-2:]).reshape(total, *each.shape[-2:])
        for each in (query, key, value)
    ]
    out: Tensor = _InOne.apply(*flat, call)
    return out.reshape(*batch, query.shape[-2], value.shape[-1])

"""All steps of an LSTM as one operation: a product and a cell a step, and their way back.

The gradient of the weight is one product over all steps. Second derivatives go through the composed
steps of _recurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import enable_grad, grad
from gpukit.autograd.function import Function

# (gates, h, c, weight, reverse) to all h and the last c, recorded
Composed = Callable[[Tensor, Tensor, Tensor, Tensor, bool], tuple[Tensor, Tensor]]


def _order(count: int, reverse: bool) -> list[int]:
    return list(range(count - 1, -1, -1)) if reverse else list(range(count))


class LSTMSteps(Function):
    """gates (T, N, 4 * hidden) of the input, h and c (N, hidden), weight (4 * hidden, hidden)."""

    @staticmethod
    def forward(
        ctx: Any,
        gates: Tensor,
        h: Tensor,
        c: Tensor,
        weight: Tensor,
        reverse: bool,
        composed: Composed,
    ) -> tuple[Tensor, Tensor]:
        """H of all steps (T, N, hidden), and the last C."""
        inputs = (gates, h, c, weight)
        outputs: list[Any] = [None] * len(gates)
        ctx.steps, ctx.reverse, ctx.composed = [], reverse, composed
        transposed = weight.t().contiguous()  # once, not in each product
        for step in _order(len(gates), reverse):
            before = c
            h, c, active = _core.lstm_cell_step(_core.addmm(gates[step], h, transposed), before)
            outputs[step] = h
            if any(ctx.needs_input_grad):
                ctx.steps.append((step, active, before))
        result = _core.stack(outputs)
        ctx.save_for_backward(*inputs, result, c)
        return result, c

    @staticmethod
    def backward(ctx: Any, by_outputs: Tensor, by_cell: Tensor) -> tuple[Any, ...]:
        """The cells in the other direction, then the weight's product."""
        gates, h, c, weight, outputs, after = ctx.saved_tensors
        if _core.is_grad_enabled():
            found = _recorded(ctx, (gates, h, c, weight), by_outputs, by_cell)
            return (*found, None, None)
        by_gates: list[Any] = [None] * len(gates)
        by_h = _core.zeros_like(h)
        for step, active, before in reversed(ctx.steps):
            total = by_outputs[step] + by_h
            by_gates[step], by_cell = _core.lstm_cell_back(active, before, after, total, by_cell)
            by_h, after = by_gates[step] @ weight, before
        flat = _core.stack(by_gates)
        earlier = outputs[1:] if ctx.reverse else outputs[:-1]
        parts = [earlier, h.unsqueeze(0)] if ctx.reverse else [h.unsqueeze(0), earlier]
        states = _core.cat(parts)
        by_weight = flat.flatten(0, 1).t() @ states.flatten(0, 1)
        return flat, by_h, by_cell, by_weight, None, None


def _recorded(
    ctx: Any, inputs: tuple[Tensor, ...], by_outputs: Tensor, by_cell: Tensor
) -> list[Tensor | None]:
    """The gradients with graphs of their own."""
    wanted = [each for each in inputs if each.requires_grad]
    with enable_grad():
        results = ctx.composed(*inputs, ctx.reverse)
        found = iter(grad(results, wanted, (by_outputs, by_cell), create_graph=True))
    return [next(found) if each.requires_grad else None for each in inputs]

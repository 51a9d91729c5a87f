"""All steps of an LSTM as one operation, and their way back.

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
        ctx.reverse, ctx.composed = reverse, composed
        keep = any(ctx.needs_input_grad)
        result, cells, active = _core.lstm_steps(*inputs, reverse, keep)
        ctx.kept = (active, cells) if keep else None
        c = cells[0 if reverse else -1].clone()
        ctx.save_for_backward(*inputs, result)
        return result, c

    @staticmethod
    def backward(ctx: Any, by_outputs: Tensor, by_cell: Tensor) -> tuple[Any, ...]:
        """The cells in the other direction, then the weight's product."""
        gates, h, c, weight, outputs = ctx.saved_tensors
        if _core.is_grad_enabled():
            found = _recorded(ctx, (gates, h, c, weight), by_outputs, by_cell)
            return (*found, None, None)
        active, cells = ctx.kept
        flat, by_h, by_cell = _core.lstm_steps_back(
            active, cells, c, weight, by_outputs, by_cell, ctx.reverse
        )
        earlier = outputs[1:] if ctx.reverse else outputs[:-1]
        parts = [earlier, h.unsqueeze(0)] if ctx.reverse else [h.unsqueeze(0), earlier]
        states = _core.cat(parts)
        by_weight = flat.flatten(0, 1).t() @ states.flatten(0, 1)
        return flat, by_h, by_cell, by_weight, None, None


def steps_alone(
    gates: Tensor, state: tuple[Tensor, ...], weight: Tensor, reverse: bool
) -> tuple[Tensor, Tensor]:
    """What forward returns, where no gradient is recorded: the gates are not kept."""
    h, c = state
    outputs, cells, _ = _core.lstm_steps(gates, h, c, weight, reverse, False)
    return outputs, cells[0 if reverse else -1].clone()


def _recorded(
    ctx: Any, inputs: tuple[Tensor, ...], by_outputs: Tensor, by_cell: Tensor
) -> list[Tensor | None]:
    """The gradients with graphs of their own."""
    wanted = [each for each in inputs if each.requires_grad]
    with enable_grad():
        results = ctx.composed(*inputs, ctx.reverse)
        found = iter(grad(results, wanted, (by_outputs, by_cell), create_graph=True))
    return [next(found) if each.requires_grad else None for each in inputs]

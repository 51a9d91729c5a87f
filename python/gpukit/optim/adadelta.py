"""Adadelta: steps in the parameters' own units, from running means of squares."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.autograd import no_grad
from gpukit.optim import _passes
from gpukit.optim._composed import gradients, no_steps
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Steps scaled by the mean squares of gradients and of earlier steps (Zeiler, 2012).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: What the steps are multiplied by.
        rho: What is kept of the means of squares.
        eps: Added to the means of squares.
        weight_decay: Added to the gradient, times the parameter.
        maximize: Climb instead of descending.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        capturable: Must be False: steps of this optimizer cannot be part of a graph.
        differentiable: Must be False: steps are not recorded.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.ones(1)
        >>> gpukit.optim.Adadelta([p]).step()
        >>> p.item() < 1
        True
    """

    _state_names = ("step", "square_avg", "acc_delta")

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "eps", "weight_decay")
        if not 0.0 <= group["rho"] <= 1.0:
            raise ValueError(f"Adadelta: rho must be from 0 to 1, got {group['rho']}")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, squares, deltas = lists
        lr, rho, eps = float(group["lr"]), group["rho"], group["eps"]
        with no_grad():
            for i, param, gradient in gradients("Adadelta", group, lists[1:]):
                if squares[i] is None:
                    steps[i] = no_steps()
                    squares[i], deltas[i] = _core.zeros_like(param), _core.zeros_like(param)
                steps[i] += 1
                made = _passes.adadelta(gradient, squares[i], deltas[i], rho, eps)
                if made is not None:
                    squares[i].copy_(made[0])
                    deltas[i].copy_(made[1])
                    delta = made[2]
                else:
                    squares[i].mul_(rho).add_(gradient * gradient, alpha=1 - rho)
                    delta = (deltas[i] + eps).sqrt() / (squares[i] + eps).sqrt() * gradient
                    deltas[i].mul_(rho).add_(delta * delta, alpha=1 - rho)
                param.sub_(delta, alpha=lr)
        return True

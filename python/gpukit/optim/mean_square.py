"""RMSprop and Adagrad: steps divided by the root of sums of squares, composed of operations."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.autograd import no_grad
from gpukit.optim._composed import gradients, no_steps
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adagrad", "RMSprop"]


class RMSprop(Optimizer):
    """Gradients divided by the root of their mean squares (Tieleman and Hinton, 2012).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        alpha: What is kept of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        momentum: Share of the last update that is kept.
        centered: Divide by the root of the variance: less the square of the gradients' mean.
        maximize: Climb instead of descending.
        capturable: Must be False: steps of this optimizer cannot be part of a graph.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        differentiable: Must be False: steps are not recorded.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.ones(1)
        >>> gpukit.optim.RMSprop([p], lr=0.05).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "square_avg", "momentum_buffer", "grad_avg")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "momentum", "weight_decay", "eps", "alpha")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, squares, buffers, means = lists
        lr, momentum = float(group["lr"]), group["momentum"]
        with no_grad():
            for i, param, gradient in gradients("RMSprop", group, lists[1:]):
                if squares[i] is None:
                    steps[i] = no_steps()
                    squares[i] = _core.zeros_like(param)
                if momentum and buffers[i] is None:
                    buffers[i] = _core.zeros_like(param)
                steps[i] += 1
                squares[i].mul_(group["alpha"]).add_(gradient * gradient, alpha=1 - group["alpha"])
                spread = squares[i]
                if group.get("centered"):
                    mean = means[i] = _core.zeros_like(param) if means[i] is None else means[i]
                    mean.mul_(group["alpha"]).add_(gradient, alpha=1 - group["alpha"])
                    spread = spread - mean * mean
                update = gradient / (spread.sqrt() + group["eps"])
                if momentum:
                    update = buffers[i].mul_(momentum).add_(update)
                param.sub_(update, alpha=lr)
        return True


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi, Hazan and Singer, 2011).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        lr_decay: How the learning rate falls: by 1 / (1 + steps * lr_decay).
        weight_decay: Added to the gradient, times the parameter.
        initial_accumulator_value: Where the sums of squares begin.
        eps: Added to the root.
        maximize: Climb instead of descending.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        differentiable: Must be False: steps are not recorded.
        fused: Such a hint too: a step is one launch for all parameters in any case.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.ones(1)
        >>> gpukit.optim.Adagrad([p], lr=0.5).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "sum")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(
            group, "lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"
        )

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, sums = lists
        lr = float(group["lr"])
        with no_grad():
            for i, param, gradient in gradients("Adagrad", group, lists[1:]):
                if sums[i] is None:
                    steps[i] = no_steps()
                    sums[i] = _core.full_like(param, group["initial_accumulator_value"])
                steps[i] += 1
                sums[i].add_(gradient * gradient)
                rate = lr / (1 + (steps[i].item() - 1) * group["lr_decay"])
                param.sub_(gradient / (sums[i].sqrt() + group["eps"]), alpha=rate)
        return True

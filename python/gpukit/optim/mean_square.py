"""RMSprop and Adagrad: steps divided by the root of sums of squares, composed of operations."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adagrad", "RMSprop"]


def _gradient(param: Tensor, group: dict[str, Any]) -> Tensor | None:
    """The gradient, with weight decay in it; None where there is none."""
    gradient = param.grad
    if gradient is None:
        return None
    gradient = -gradient if group["maximize"] else gradient
    decay = group["weight_decay"]
    return gradient + decay * param.detach() if decay else gradient


class RMSprop(Optimizer):
    """Gradients divided by the root of their mean squares (Tieleman and Hinton, 2012).

    Args:
        params: Tensors, or dicts of `params` and settings of their own.
        lr: Learning rate.
        alpha: What is kept of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        momentum: Share of the last update that is kept.
        maximize: Climb instead of descending.

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

    _state_names = ("step", "square_avg", "momentum_buffer")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "momentum", "weight_decay", "eps", "alpha")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, squares, buffers = lists
        with no_grad():
            for i, param in enumerate(group["params"]):
                gradient = _gradient(param, group)
                if gradient is None:
                    continue
                if squares[i] is None:
                    steps[i] = _core.zeros(())
                    squares[i] = _core.zeros_like(param)
                    buffers[i] = _core.zeros_like(param) if group["momentum"] else None
                steps[i] += 1
                squares[i].mul_(group["alpha"]).add_(gradient * gradient, alpha=1 - group["alpha"])
                update = gradient / (squares[i].sqrt() + group["eps"])
                if group["momentum"]:
                    update = buffers[i].mul_(group["momentum"]).add_(update)
                param.sub_(update, alpha=group["lr"])
        return True


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi, Hazan and Singer, 2011).

    Args:
        params: Tensors, or dicts of `params` and settings of their own.
        lr: Learning rate.
        lr_decay: How the learning rate falls: by 1 / (1 + steps * lr_decay).
        weight_decay: Added to the gradient, times the parameter.
        initial_accumulator_value: Where the sums of squares begin.
        eps: Added to the root.
        maximize: Climb instead of descending.

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
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(
            group, "lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"
        )

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, sums = lists
        with no_grad():
            for i, param in enumerate(group["params"]):
                gradient = _gradient(param, group)
                if gradient is None:
                    continue
                if sums[i] is None:
                    steps[i] = _core.zeros(())
                    sums[i] = _core.full_like(param, group["initial_accumulator_value"])
                steps[i] += 1
                sums[i].add_(gradient * gradient)
                rate = group["lr"] / (1 + (steps[i].item() - 1) * group["lr_decay"])
                param.sub_(gradient / (sums[i].sqrt() + group["eps"]), alpha=rate)
        return True

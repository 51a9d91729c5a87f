"""Adamax, NAdam and RAdam: Adam with another denominator, momentum or warm-up."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.optim import _passes
from gpukit.optim._composed import gradients, no_steps
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adamax", "NAdam", "RAdam"]


class _Variant(Optimizer):
    """Settings and states that the three share."""

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "eps", "weight_decay")
        for number, beta in enumerate(group["betas"]):
            if not 0.0 <= beta < 1.0:
                name = type(self).__name__
                raise ValueError(f"{name}: betas[{number}] must be in [0, 1), got {beta}")


def _mean(average: Tensor, value: Tensor, kept: float) -> Tensor:
    """The running mean with one more value, in place."""
    return average.mul_(kept).add_(value, alpha=1 - kept)


def _decayed(param: Tensor, group: dict[str, Any], lr: float) -> None:
    """Shrink the parameter itself where the decay is decoupled (Loshchilov and Hutter, 2019)."""
    if group["decoupled_weight_decay"] and group["weight_decay"]:
        param.mul_(1 - lr * group["weight_decay"])


class Adamax(_Variant):
    """Adam with the largest decayed gradient as denominator (Kingma and Ba, 2014, section 7.1).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        betas: What is kept of the mean of gradients, and of the largest gradient.
        eps: Added to the absolute values of gradients.
        weight_decay: Added to the gradient, times the parameter.
        maximize: Climb instead of descending.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        differentiable: Must be False: steps are not recorded.
        capturable: Must be False: steps of this optimizer cannot be part of a graph.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.ones(1)
        >>> gpukit.optim.Adamax([p], lr=0.5).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "exp_avg", "exp_inf")

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, means, largest = lists
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        with no_grad():
            for i, param, gradient in gradients("Adamax", group, lists[1:]):
                if means[i] is None:
                    steps[i] = no_steps()
                    means[i], largest[i] = _core.zeros_like(param), _core.zeros_like(param)
                steps[i] += 1
                made = _passes.adamax(gradient, means[i], largest[i], (beta1, beta2), group["eps"])
                if made is not None:
                    means[i].copy_(made[0])
                    largest[i].copy_(made[1])
                    step = made[2]
                else:
                    mean = _mean(means[i], gradient, beta1)
                    norm = _core.maximum(largest[i] * beta2, gradient.abs() + group["eps"])
                    largest[i].copy_(norm)
                    step = mean / norm
                param.sub_(step, alpha=lr / (1 - beta1 ** steps[i].item()))
        return True


class NAdam(_Variant):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        betas: What is kept of the mean of gradients, and of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        momentum_decay: How quickly the momentum reaches betas[0].
        decoupled_weight_decay: Shrink the parameters instead of adding to the gradients.
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
        >>> gpukit.optim.NAdam([p], lr=0.5).step()
        >>> p.item() < 1
        True
    """

    _state_names = ("step", "mu_product", "exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        super()._check(group)
        self._check_not_negative(group, "momentum_decay")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, products, means, squares = lists
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        with no_grad():
            for i, param, gradient in gradients("NAdam", group, lists[2:]):
                if means[i] is None:
                    steps[i], products[i] = no_steps(), no_steps() + 1
                    means[i], squares[i] = _core.zeros_like(param), _core.zeros_like(param)
                steps[i] += 1
                step = steps[i].item()
                now, following = (
                    beta1 * (1 - 0.5 * 0.96 ** (at * group["momentum_decay"]))
                    for at in (step, step + 1)
                )
                products[i] *= now
                product = products[i].item()
                _decayed(param, group, lr)
                mean = _mean(means[i], gradient, beta1)
                square = _mean(squares[i], gradient * gradient, beta2)
                root = (square / (1 - beta2**step)).sqrt() + group["eps"]
                param.sub_(gradient / root, alpha=lr * (1 - now) / (1 - product))
                param.sub_(mean / root, alpha=lr * following / (1 - product * following))
        return True


class RAdam(_Variant):
    """Adam without division while too few squares are known (Liu and others, 2019).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        betas: What is kept of the mean of gradients, and of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        decoupled_weight_decay: Shrink the parameters instead of adding to the gradients.
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
        >>> gpukit.optim.RAdam([p], lr=0.5).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, means, squares = lists
        lr, (beta1, beta2) = float(group["lr"]), group["betas"]
        with no_grad():
            for i, param, gradient in gradients("RAdam", group, lists[1:]):
                if means[i] is None:
                    steps[i] = no_steps()
                    means[i], squares[i] = _core.zeros_like(param), _core.zeros_like(param)
                steps[i] += 1
                step = steps[i].item()
                _decayed(param, group, lr)
                mean = _mean(means[i], gradient, beta1)
                square = _mean(squares[i], gradient * gradient, beta2)
                rate = lr / (1 - beta1**step)
                rectified = _rectification(beta2, step)
                if rectified is None:
                    param.sub_(mean, alpha=rate)
                else:
                    scale = rate * rectified * math.sqrt(1 - beta2**step)
                    param.sub_(mean / (square.sqrt() + group["eps"]), alpha=scale)
        return True


def _rectification(beta2: float, step: float) -> float | None:
    """How far the variance of the adaptive rate is off; None while it is not known (equation 5)."""
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / (1 - beta2**step)
    if length <= 5:
        return None
    return math.sqrt(
        (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    )

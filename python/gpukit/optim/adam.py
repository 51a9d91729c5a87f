"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpukit import _core
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps of gradients' means divided by the root of their mean squares.

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        betas: What is kept of the mean of gradients, and of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        amsgrad: Divide by the largest mean of squares so far.
        maximize: Climb instead of descending.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        capturable: Kept in the group: a step on a GPU can be part of a graph in any case.
        differentiable: Must be False: steps are not recorded.
        fused: Such a hint too: a step is one launch for all parameters in any case.
        decoupled_weight_decay: Shrink the parameters instead of adding to the gradients.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.ones(1)
        >>> gpukit.optim.Adam([p], lr=0.5).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    _capturable = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "eps", "weight_decay")
        for number, beta in enumerate(group["betas"]):
            if not 0.0 <= beta < 1.0:
                name = type(self).__name__
                raise ValueError(f"{name}: betas[{number}] must be in [0, 1), got {beta}")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, means, squares, largest = lists
        beta1, beta2 = group["betas"]
        return _core.adam_step(
            group["params"],
            means,
            squares,
            largest if group["amsgrad"] else None,
            steps,
            group["lr"],
            beta1,
            beta2,
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            group["maximize"],
        )


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and does not enter the gradients.

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        betas: What is kept of the mean of gradients, and of the mean of squares.
        eps: Added to the root.
        weight_decay: Times lr, what parameters lose at each step.
        amsgrad: Divide by the largest mean of squares so far.
        maximize: Climb instead of descending.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        capturable: Kept in the group: a step on a GPU can be part of a graph in any case.
        differentiable: Must be False: steps are not recorded.
        fused: Such a hint too: a step is one launch for all parameters in any case.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(1))
        >>> p.grad = gpukit.zeros(1)
        >>> gpukit.optim.AdamW([p], lr=0.5, weight_decay=0.5).step()
        >>> p.detach()
        tensor([0.7500])
    """

    _fixed: Mapping[str, Any] = {"decoupled_weight_decay": True}

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

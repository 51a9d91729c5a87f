"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.optim.optimizer import Optimizer

__all__ = ["SGD"]


class SGD(Optimizer):
    """Gradient descent, with momentum, Nesterov's form and weight decay.

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        momentum: Share of the last update that is kept.
        dampening: Share of the gradient that does not enter the momentum.
        weight_decay: Added to the gradient, times the parameter.
        nesterov: Nesterov's momentum.
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
        >>> gpukit.optim.SGD([p], lr=0.5).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("momentum_buffer",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "momentum", "weight_decay")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError(
                "SGD: nesterov=True needs a momentum over 0 and dampening=0, "
                f"got {group['momentum']} and {group['dampening']}"
            )

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        return _core.sgd_step(
            group["params"],
            lists[0],
            group["lr"],
            group["momentum"],
            group["dampening"],
            group["weight_decay"],
            group["nesterov"],
            group["maximize"],
        )

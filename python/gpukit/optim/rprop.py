"""Rprop: a step size for each element, by the signs of successive gradients."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.autograd import no_grad
from gpukit.optim._composed import gradients, no_steps
from gpukit.optim.optimizer import Optimizer

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation (Riedmiller and Braun, 1993), for gradients of whole data sets.

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Where the step sizes begin.
        etas: Factors of a step size when the gradient's sign changes, and when it does not.
        step_sizes: The smallest and the largest step size.
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
        >>> gpukit.optim.Rprop([p], lr=0.25).step()
        >>> p.detach()
        tensor([0.7500])
    """

    _state_names = ("step", "prev", "step_size")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr")
        smaller, larger = group["etas"]
        if not 0.0 < smaller < 1.0 < larger:
            raise ValueError(
                f"Rprop: etas must be below and above 1, such as (0.5, 1.2), got {group['etas']}"
            )

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, previous, sizes = lists
        smaller, larger = group["etas"]
        smallest, largest = group["step_sizes"]
        with no_grad():
            for i, param, gradient in gradients("Rprop", group, lists[1:]):
                if previous[i] is None:
                    steps[i] = no_steps()
                    previous[i] = _core.zeros_like(param)
                    sizes[i] = _core.full_like(param, float(group["lr"]))
                steps[i] += 1
                agreement = gradient * previous[i]
                flipped = agreement < 0
                factor = _core.ones_like(param).masked_fill(agreement > 0, larger)
                sizes[i].mul_(factor.masked_fill(flipped, smaller))
                sizes[i].clamp_(smallest, largest)
                used = gradient.masked_fill(flipped, 0)
                param.sub_(used.sign() * sizes[i])
                previous[i].copy_(used)
        return True

"""ASGD: stochastic gradient descent whose parameters are averaged."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.autograd import no_grad
from gpukit.optim._composed import gradients, no_steps
from gpukit.optim.optimizer import Optimizer

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    `state[parameter]["ax"]` is the average.

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        lambd: How quickly the parameters decay.
        alpha: Power of the learning rate's fall.
        t0: The step at which averaging begins.
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
        >>> gpukit.optim.ASGD([p], lr=0.5, lambd=0).step()
        >>> p.detach()
        tensor([0.5000])
    """

    _state_names = ("step", "eta", "mu", "ax")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "weight_decay")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, rates, shares, averages = lists
        lr, lambd = float(group["lr"]), group["lambd"]
        with no_grad():
            for i, param, gradient in gradients("ASGD", group, lists[3:]):
                if averages[i] is None:
                    steps[i], rates[i], shares[i] = no_steps(), no_steps() + lr, no_steps() + 1
                    averages[i] = _core.zeros_like(param)
                steps[i] += 1
                rate, share, step = rates[i].item(), shares[i].item(), steps[i].item()
                param.mul_(1 - lambd * rate).sub_(gradient, alpha=rate)
                if share == 1:
                    averages[i].copy_(param)
                else:
                    averages[i].add_(param - averages[i], alpha=share)
                rates[i].fill_(lr / (1 + lambd * lr * step) ** group["alpha"])
                shares[i].fill_(1 / max(1, step - group["t0"]))
        return True

"""Adafactor: mean squares of a matrix's gradients as a column times a row."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._tensors.limits import finfo
from gpukit.autograd import no_grad
from gpukit.optim._composed import gradients, no_steps, refuse_complex
from gpukit.optim.optimizer import Optimizer

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Adam's denominator in the memory of a row and a column (Shazeer and Stern, 2018).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: The largest relative step.
        beta2_decay: The means of squares keep 1 - step**beta2_decay; at most 0.
        eps: The smallest root of a mean of squares, None for the dtype's precision; and the
            smallest scale of a parameter.
        d: Steps whose root mean square is larger are scaled down to it; at least 1.
        weight_decay: The parameters shrink by this times lr.
        foreach: A hint of PyTorch's, kept in the group: a step changes all parameters in any case.
        maximize: Climb instead of descending.

    Raises:
        ValueError: A setting out of range, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.ones(2, 2))
        >>> p.grad = gpukit.ones(2, 2)
        >>> adafactor = gpukit.optim.Adafactor([p], lr=0.5)
        >>> adafactor.step()
        >>> p.detach()
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
        >>> adafactor.state[p]["row_var"].shape
        (2, 1)
    """

    _state_names = ("step", "row_var", "col_var", "variance")

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "weight_decay")
        if not group["beta2_decay"] <= 0:
            raise ValueError(
                f"Adafactor: beta2_decay must be at most 0, got {group['beta2_decay']}"
            )
        for number, eps in enumerate(group["eps"]):
            if not (eps is None and number == 0) and not eps >= 0:
                raise ValueError(f"Adafactor: eps[{number}] must be 0 or more, got {eps}")
        if not group["d"] >= 1:
            raise ValueError(f"Adafactor: d must be at least 1, got {group['d']}")
        refuse_complex("Adafactor", group["params"])

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        steps, rows, columns, squares = lists
        lr, decay = float(group["lr"]), group["weight_decay"]
        decoupled = {**group, "decoupled_weight_decay": True}
        with no_grad():
            for i, param, gradient in gradients("Adafactor", decoupled, (squares,)):
                if steps[i] is None:
                    steps[i] = no_steps()
                    rows[i], columns[i], squares[i] = _first_means(gradient)
                steps[i] += 1
                count = steps[i].item()
                least, smallest = group["eps"]
                least = finfo(param.dtype).eps if least is None else least
                scale = max(smallest, param.norm(2).item() / param.numel() ** 0.5)
                alpha = scale * min(lr, 1 / count**0.5)
                if decay:
                    param.mul_(1 - lr * decay)
                new = count ** group["beta2_decay"]
                if squares[i] is None:
                    estimate = _from_factors(gradient, rows[i], columns[i], new, least)
                else:
                    estimate = squares[i].lerp_(gradient * gradient, new).clone()
                update = estimate.clamp_(min=least * least).rsqrt_().mul_(gradient)
                size = update.norm(2).item() / (update.numel() ** 0.5 * group["d"])
                param.add_(update, alpha=-alpha / max(1.0, size))
        return True


def _first_means(gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Zeros of a row and a column, or of each element of what is no matrix."""
    if gradient.ndim < 2:
        return None, None, _core.zeros_like(gradient)
    *others, height, width = gradient.shape
    settings: dict[str, Any] = {"dtype": gradient.dtype, "device": gradient.device}
    rows = _core.zeros((*others, height, 1), **settings)
    return rows, _core.zeros((*others, 1, width), **settings), None


def _from_factors(
    gradient: Tensor, rows: Tensor, columns: Tensor, new: float, least: float
) -> Tensor:
    """The means of squares, whose means over rows and over columns are kept."""
    for means, dim in ((rows, -1), (columns, -2)):
        root = _core.norm(gradient, 2, dim, True)
        means.lerp_(root.square_().div_(gradient.shape[dim]), new)
    return (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(min=least))

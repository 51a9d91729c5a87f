"""RMSprop and Adagrad: steps divided by the root of sums of squares, composed of operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.errors import DeviceError, DeviceMismatchError, DTypeError, ShapeError
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


def _gradients(
    name: str, group: dict[str, Any], states: tuple[list[Any], ...]
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Number, parameter and gradient of what has a gradient, once all of the group is checked."""
    _check_step(name, group, states)
    for i, param in enumerate(group["params"]):
        gradient = _gradient(param, group)
        if gradient is not None:
            yield i, param, gradient


def _check_step(name: str, group: dict[str, Any], states: tuple[list[Any], ...]) -> None:
    """Refuse what the extension's optimizers refuse, before anything is written."""
    for i, param in enumerate(group["params"]):
        if param.grad is None:
            continue
        if param.is_cuda and _core.current_graph() is not None:
            raise DeviceError(
                f"{name}.step: cannot be part of a graph, for its learning rate would stay that of "
                "the capture. Use SGD, Adam or AdamW, or step outside the block"
            )
        parameter = f"{name}.step: parameter {i} is"
        _check_writable(parameter, param)
        _check_companion(parameter, param, "gradient", param.grad)
        for column in states:
            if column[i] is not None:
                _check_companion(parameter, param, "state", column[i])


def _check_writable(parameter: str, param: Tensor) -> None:
    if param.is_cuda:
        return
    try:
        param.detach().unsqueeze(0)[:0].zero_()  # no element: only queries
    except ValueError:
        raise ValueError(
            f"{parameter} read-only memory (of the array it was made from). Use .clone() first."
        ) from None


def _check_companion(parameter: str, param: Tensor, what: str, companion: Tensor) -> None:
    if companion.device != param.device:
        raise DeviceMismatchError(
            f"{parameter} on {param.device}, its {what} on {companion.device}. Parameters moved "
            "after the optimizer's first step: make the optimizer after net.to(device), or call "
            "optimizer.load_state_dict(optimizer.state_dict()).",
            fix="optimizer.load_state_dict(optimizer.state_dict())",
        )
    if companion.dtype != param.dtype:
        raise DTypeError(
            f"{parameter} {param.dtype.name}, its {what} {companion.dtype.name}. Call "
            "optimizer.load_state_dict(optimizer.state_dict()) to convert it."
        )
    if companion.shape != param.shape:
        raise ShapeError(
            f"{parameter} {tuple(param.shape)}, its {what} {tuple(companion.shape)}; they must be "
            "equal."
        )


def _no_steps() -> Tensor:
    return _core.zeros((), dtype=_core.float32, device="cpu")


class RMSprop(Optimizer):
    """Gradients divided by the root of their mean squares (Tieleman and Hinton, 2012).

    Args:
        params: Tensors, or dicts of `params` and their own settings.
        lr: Learning rate.
        alpha: What is kept of the mean of squares.
        eps: Added to the root.
        weight_decay: Added to the gradient, times the parameter.
        momentum: Share of the last update that is kept.
        maximize: Climb instead of descending.
        foreach: Accepted for compatibility with PyTorch; ignored.
        fused: Accepted likewise: a step is one launch for all parameters in any case.

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
        foreach: bool | None = None,  # noqa: ARG002 (torch's)
        fused: bool | None = None,  # noqa: ARG002 (torch's)
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
        lr, momentum = float(group["lr"]), group["momentum"]
        with no_grad():
            for i, param, gradient in _gradients("RMSprop", group, lists[1:]):
                if squares[i] is None:
                    steps[i] = _no_steps()
                    squares[i] = _core.zeros_like(param)
                if momentum and buffers[i] is None:
                    buffers[i] = _core.zeros_like(param)
                steps[i] += 1
                squares[i].mul_(group["alpha"]).add_(gradient * gradient, alpha=1 - group["alpha"])
                update = gradient / (squares[i].sqrt() + group["eps"])
                if momentum:
                    update = buffers[i].mul_(momentum).add_(update)
                param.sub_(update, alpha=lr)
        return True

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load settings and states; states move to their parameters' devices and dtypes.

        If it raises, nothing has changed.

        Args:
            state_dict: A dict that `state_dict` returned, in gpukit or torch.

        Raises:
            ValueError: Other groups, groups of other sizes, or torch's `centered=True`.
        """
        for number, group in enumerate(state_dict["param_groups"]):
            if group.get("centered"):
                raise ValueError(
                    f"RMSprop.load_state_dict: group {number} has centered=True, which is not in "
                    "gpukit. Make a new optimizer, and load the network only"
                )
        super().load_state_dict(state_dict)


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
        foreach: Accepted for compatibility with PyTorch; ignored.
        fused: Accepted likewise: a step is one launch for all parameters in any case.

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
        foreach: bool | None = None,  # noqa: ARG002 (torch's)
        fused: bool | None = None,  # noqa: ARG002 (torch's)
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
        lr = float(group["lr"])
        with no_grad():
            for i, param, gradient in _gradients("Adagrad", group, lists[1:]):
                if sums[i] is None:
                    steps[i] = _no_steps()
                    sums[i] = _core.full_like(param, group["initial_accumulator_value"])
                steps[i] += 1
                sums[i].add_(gradient * gradient)
                rate = lr / (1 + (steps[i].item() - 1) * group["lr_decay"])
                param.sub_(gradient / (sums[i].sqrt() + group["eps"]), alpha=rate)
        return True

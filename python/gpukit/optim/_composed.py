"""What optimizers that are composed of operations share: gradients, checks, first states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import DeviceError, DeviceMismatchError, DTypeError, ShapeError


def _gradient(param: Tensor, group: dict[str, Any]) -> Tensor | None:
    """The gradient, with weight decay in it unless that is decoupled; None where there is none."""
    gradient = param.grad
    if gradient is None:
        return None
    gradient = -gradient if group.get("maximize") else gradient
    decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
    return gradient + decay * param.detach() if decay else gradient


def gradients(
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


def refuse_complex(name: str, params: list[Tensor]) -> None:
    for i, param in enumerate(params):
        if param.is_complex():
            raise DTypeError(f"{name}: parameter {i} is {param.dtype.name}; it must be real")


def no_steps() -> Tensor:
    return _core.zeros((), dtype=_core.float32, device="cpu")

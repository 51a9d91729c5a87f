"""Limits on gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gpukit import _core
from gpukit._arguments import number_of, parameters_of
from gpukit._core import Tensor
from gpukit.errors import GpukitError

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients so that their common norm is at most max_norm.

    Args:
        parameters: Those without a gradient count nothing.
        max_norm: The largest norm that stays.
        norm_type: Order of the norm; float('inf') takes the largest element.
        error_if_nonfinite: Raise when the norm is NaN or infinite; this waits for the device.
        foreach: Accepted for compatibility with PyTorch and ignored.

    Returns:
        The norm before scaling, 0-d, on the first gradient's device.

    Raises:
        GpukitError: The norm is not finite and error_if_nonfinite is True.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.zeros(2))
        >>> p.grad = gpukit.tensor([3.0, 4.0])
        >>> gpukit.nn.utils.clip_grad_norm_([p], 1.0), p.grad
        (tensor(5.), tensor([0.6000, 0.8000]))
    """
    del foreach
    gradients = _gradients("clip_grad_norm_", parameters)
    total = _total_norm("clip_grad_norm_", gradients, norm_type, error_if_nonfinite)
    _scale(gradients, max_norm, total)
    return total


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all tensors together, as if they were one vector.

    Args:
        tensors: Often gradients.
        norm_type: Order of the norm; float('inf') takes the largest element.
        error_if_nonfinite: Raise when the norm is NaN or infinite; this waits for the device.
        foreach: Accepted for compatibility with PyTorch and ignored.

    Returns:
        The norm, 0-d, on the first tensor's device.

    Raises:
        GpukitError: The norm is not finite and error_if_nonfinite is True.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.get_total_norm([gpukit.tensor([3.0]), gpukit.tensor([4.0])])
        tensor(5.)
    """
    del foreach
    given = [tensor.detach() for tensor in parameters_of("get_total_norm", tensors, "tensors")]
    return _total_norm("get_total_norm", given, norm_type, error_if_nonfinite)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor | float,
    foreach: bool | None = None,
) -> None:
    """Scale all gradients by max_norm / total_norm where that is below 1.

    Args:
        parameters: Those without a gradient are left out.
        max_norm: The largest norm that stays.
        total_norm: The norm of all gradients, as `get_total_norm` returns it.
        foreach: Accepted for compatibility with PyTorch and ignored.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.zeros(2))
        >>> p.grad = gpukit.tensor([3.0, 4.0])
        >>> gpukit.nn.utils.clip_grads_with_norm_([p], 1.0, gpukit.tensor(5.0))
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    del foreach
    if not isinstance(total_norm, Tensor):
        total_norm = _core.tensor(number_of("clip_grads_with_norm_", "total_norm", total_norm))
    _scale(_gradients("clip_grads_with_norm_", parameters), max_norm, total_norm)


def _gradients(function: str, parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = parameters_of(function, parameters)
    return [p.grad.detach() for p in given if p.grad is not None]


def _total_norm(
    function: str, tensors: list[Tensor], norm_type: float, error_if_nonfinite: bool
) -> Tensor:
    if not tensors:
        return _core.tensor(0.0)
    home = tensors[0].device
    norms = _core.stack([_core.norm(each, norm_type).to(home) for each in tensors])
    total = _core.norm(norms, norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise GpukitError(
            f"{function}: the norm of order {norm_type} is not finite, so the gradients "
            "cannot be scaled"
        )
    return total


def _scale(gradients: list[Tensor], max_norm: float, total: Tensor) -> None:
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.device))


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor],
    clip_value: float | Tensor,
    foreach: bool | None = None,
) -> None:
    """Limit every element of all gradients to [-clip_value, clip_value].

    Args:
        parameters: Those without a gradient count nothing.
        clip_value: The largest absolute value that stays.
        foreach: Accepted for compatibility with PyTorch and ignored.

    Raises:
        ValueError: clip_value is negative.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.zeros(2))
        >>> p.grad = gpukit.tensor([3.0, -0.5])
        >>> gpukit.nn.utils.clip_grad_value_([p], 1.0)
        >>> p.grad
        tensor([ 1.0000, -0.5000])
    """
    del foreach
    given = clip_value.item() if isinstance(clip_value, Tensor) else clip_value
    clip_value = number_of("clip_grad_value_", "clip_value", given)
    if not clip_value >= 0:
        raise ValueError(f"clip_grad_value_: clip_value must be 0 or more, got {clip_value}")
    for p in parameters_of("clip_grad_value_", parameters):
        if p.grad is not None:
            p.grad.detach().clamp_(-clip_value, clip_value)

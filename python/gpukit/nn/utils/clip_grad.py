"""Limits on gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gpukit import _core
from gpukit._arguments import number_of, parameters_of
from gpukit._core import Tensor
from gpukit.errors import GpukitError

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale all gradients so that their common norm is at most max_norm.

    Args:
        parameters: Those without a gradient count nothing.
        max_norm: The largest norm that stays.
        norm_type: Order of the norm; float('inf') takes the largest element.
        error_if_nonfinite: Raise when the norm is NaN or infinite; this waits for the device.

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
    given = parameters_of("clip_grad_norm_", parameters)
    gradients = [p.grad.detach() for p in given if p.grad is not None]
    if not gradients:
        return _core.tensor(0.0)
    home = gradients[0].device
    norms = _core.stack([_core.norm(gradient, norm_type).to(home) for gradient in gradients])
    total = _core.norm(norms, norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise GpukitError(
            f"clip_grad_norm_: the norm of order {norm_type} is not finite, so the gradients "
            "cannot be scaled"
        )
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.device))
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float | Tensor) -> None:
    """Limit every element of all gradients to [-clip_value, clip_value].

    Args:
        parameters: Those without a gradient count nothing.
        clip_value: The largest absolute value that stays.

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
    given = clip_value.item() if isinstance(clip_value, Tensor) else clip_value
    clip_value = number_of("clip_grad_value_", "clip_value", given)
    if not clip_value >= 0:
        raise ValueError(f"clip_grad_value_: clip_value must be 0 or more, got {clip_value}")
    for p in parameters_of("clip_grad_value_", parameters):
        if p.grad is not None:
            p.grad.detach().clamp_(-clip_value, clip_value)

"""Functions with another slope in a range; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import number_for, tensor_of
from gpukit._core import Tensor
from gpukit.errors import DTypeError, ShapeError


def _floating(function: str, input: Any) -> Tensor:
    x = tensor_of(function, "input", input)
    if not x.dtype.is_floating_point:
        raise DTypeError(f"{function}: input must be floating, it is {x.dtype}; use input.float()")
    return x


def hardshrink(input: Any, lambd: Any = 0.5) -> Tensor:
    """0 near 0."""
    x = _floating("hardshrink", input)
    limit = number_for("hardshrink", "lambd", lambd, x)
    return _core.where((x >= -limit) & (x <= limit), 0.0, x)


def prelu(input: Any, weight: Any) -> Tensor:
    """Slopes below 0."""
    x, slopes = _floating("prelu", input), tensor_of("prelu", "weight", weight)
    if slopes.dtype != x.dtype:
        raise DTypeError(
            f"prelu: input is {x.dtype}, weight is {slopes.dtype}; use weight.to(input.dtype)"
        )
    if slopes.numel() != 1:
        channels = x.shape[1] if x.ndim > 1 else 1
        if slopes.ndim != 1 or x.ndim == 0 or slopes.numel() != channels:
            raise ShapeError(
                f"prelu: weight is {tuple(slopes.shape)}, input {tuple(x.shape)}; weight must "
                f"be (1,) or ({channels},)"
            )
        slopes = slopes.reshape(-1, *[1] * max(0, x.ndim - 2))
    elif slopes.ndim > 1 or x.ndim == 0:
        slopes = slopes.reshape(())
    return _core.where(x > 0, x, slopes * x)

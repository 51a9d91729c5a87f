"""Dropout as a function."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError


def check_probability(op: str, p: Any) -> None:
    """Raise ValueError unless 0 <= p <= 1."""
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"{op}: the probability must be between 0 and 1, got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: Any floating tensor.
        p: Probability of an element to become 0.
        training: False returns the input.
        inplace: Change the input instead of making a new tensor.

    Raises:
        ValueError: p is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.dropout(gpukit.ones(2), training=False)
        tensor([1., 1.])
    """
    tensor_of("dropout", "input", input)
    check_probability("dropout", p)
    if not training or p == 0:
        return input
    kept = _core.rand_like(input) >= p
    factors = kept.to(input.dtype) * (0.0 if p == 1 else 1 / (1 - p))
    return input.mul_(factors) if inplace else input * factors

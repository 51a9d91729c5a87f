"""Functions between a line and a constant, composed of others."""

from __future__ import annotations

from gpukit import _core
from gpukit._core import Tensor


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input)) without overflow.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.logsigmoid(gpukit.zeros(1))
        tensor([-0.6931])
    """
    return -_core.logaddexp(-input, _core.zeros((), dtype=input.dtype, device=input.device))


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return input where it is positive, else negative_slope * input.

    Args:
        input: A floating tensor of any shape.
        negative_slope: The slope below 0.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.leaky_relu(gpukit.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    return _core.where(input > 0, input, input * negative_slope)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return input where it is positive, else alpha * (exp(input) - 1).

    Args:
        input: A floating tensor of any shape.
        alpha: Minus the limit far below 0.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.elu(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """
    return _core.where(input > 0, input, alpha * input.clamp(max=0).expm1())


def silu(input: Tensor) -> Tensor:
    """Return input * sigmoid(input).

    Args:
        input: A floating tensor of any shape.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.silu(gpukit.zeros(1))
        tensor([0.])
    """
    return input * input.sigmoid()


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta * input)) / beta, a smooth relu.

    Args:
        input: A floating tensor of any shape.
        beta: How sharp the bend is.
        threshold: Where beta * input is above it, input itself is taken.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softplus(gpukit.zeros(1))
        tensor([0.6931])
    """
    scaled = input * beta
    bent = _core.logaddexp(scaled, _core.zeros((), dtype=input.dtype, device=input.device)) / beta
    return _core.where(scaled > threshold, input, bent)

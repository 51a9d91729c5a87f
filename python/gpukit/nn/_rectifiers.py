"""Functions between a line and a constant, composed of others."""

from __future__ import annotations

from gpukit import _core
from gpukit._arguments import number_for, tensor_of
from gpukit._core import Tensor
from gpukit._dtypes import HALF, by_kind
from gpukit.nn._named_nodes import names_node

_STAYS = by_kind(bool=False, integer=False, floating=True, complex=True)


def _source(function: str, input: Tensor, inplace: bool) -> Tensor:
    """The input to compute from: a copy if the graph needs values that inplace overwrites."""
    tensor_of(function, "input", input)
    return input.clone() if inplace and input.requires_grad else input


def _wide(x: Tensor) -> Tensor:
    """Half types are computed in float32 and rounded once."""
    return x.float() if x.dtype in HALF else x


def _log_of_1_plus_exp(x: Tensor) -> Tensor:
    return _core.logaddexp(x, _core.zeros((), dtype=x.dtype, device=x.device))


@names_node("LogSigmoidBackward0")
def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input)) without overflow.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.logsigmoid(gpukit.zeros(1))
        tensor([-0.6931])
    """
    tensor_of("logsigmoid", "input", input)
    return -_log_of_1_plus_exp(-input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else negative_slope * input.

    Args:
        input: A floating tensor of any shape.
        negative_slope: The slope below 0.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.leaky_relu(gpukit.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    source = _source("leaky_relu", input, inplace)
    slope = number_for("leaky_relu", "negative_slope", negative_slope, input)
    x = source.detach()
    result = _core.where(x > 0, x, x * slope)
    result = _core.with_slopes("LeakyReluBackward0", result, [source], slope)
    return input.copy_(result) if inplace else result


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, else alpha * (exp(input) - 1).

    Args:
        input: A floating tensor of any shape.
        alpha: Minus the limit far below 0.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.elu(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """
    source = _source("elu", input, inplace)
    alpha = number_for("elu", "alpha", alpha, input)
    x = _wide(source.detach())
    below = (alpha * x.clamp(max=0).expm1()).to(source.dtype)
    result = _core.where(x <= 0, below, source.detach())
    result = _core.with_slopes("EluBackward0", result, [source], alpha)
    return input.copy_(result) if inplace else result


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input).

    Args:
        input: A floating tensor of any shape.
        inplace: Write the result into input.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.silu(gpukit.zeros(1))
        tensor([0.])
    """
    source = _source("silu", input, inplace)
    x = _wide(source.detach())
    result = x * x.sigmoid()
    if result.dtype is not source.dtype and _STAYS[source.dtype]:
        result = result.to(source.dtype)
    result = _core.with_slopes("SiluBackward0", result, [source], 0.0)
    return input.copy_(result) if inplace else result


@names_node("SoftplusBackward0")
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta * input)) / beta, a smooth relu.

    Args:
        input: A floating tensor of any shape.
        beta: How sharp the bend is.
        threshold: Where beta * input exceeds it, the result is the input.

    Returns:
        Input's shape and dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.softplus(gpukit.zeros(1))
        tensor([0.6931])
    """
    tensor_of("softplus", "input", input)
    beta = number_for("softplus", "beta", beta, input)
    threshold = number_for("softplus", "threshold", threshold, input)
    x = _wide(input)
    scaled = x * beta
    result = _core.where(scaled > threshold, x, _log_of_1_plus_exp(scaled) / beta)
    return result if x is input else result.to(input.dtype)

"""Activations that write into their input."""

from __future__ import annotations

from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.nn._gates import rrelu, selu, threshold


def relu_(input: Tensor) -> Tensor:
    """Write max(input, 0) into input.

    Args:
        input: A tensor of any shape; not bool.

    Returns:
        input.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.relu_(gpukit.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    tensor_of("relu_", "input", input)
    return input.relu_()


def selu_(input: Tensor) -> Tensor:
    """Write `selu(input)` into input.

    Args:
        input: A floating tensor of any shape.

    Returns:
        input.

    Raises:
        DTypeError: input is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.selu_(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 1.0507])
    """
    return selu(input, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Write `value` where input is not above the threshold.

    Args:
        input: A tensor of any shape; not bool.
        threshold: What an element must be above of to stay.
        value: What the others become.

    Returns:
        input.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.threshold_(gpukit.tensor([0.5, 2.0]), 1, 0)
        tensor([0., 2.])
    """
    return _threshold(input, threshold, value, True)


def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """Write `rrelu(input)` into input.

    Args:
        input: A floating tensor of any shape.
        lower: The least slope below 0.
        upper: The largest one.
        training: Draw a slope for each element; else it is their mean.

    Returns:
        input.

    Raises:
        ValueError: lower is above upper.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.rrelu_(gpukit.tensor([-4.0]), 0.25, 0.75)
        tensor([-2.])
    """
    return rrelu(input, lower, upper, training, True)


_threshold = threshold

"""Layers of one function each."""

from __future__ import annotations

from gpukit._arguments import int_of
from gpukit._core import Tensor, relu
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn.module import Module

__all__ = [
    "ELU",
    "GELU",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
]


class ReLU(Module):
    """max(input, 0), element by element.

    Args:
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReLU()(gpukit.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return max(input, 0)."""
        return F.relu(input, self.inplace) if self.inplace else relu(input)

    def extra_repr(self) -> str:
        """Return 'inplace=True' or nothing."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-input)), element by element.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Sigmoid()(gpukit.zeros(1))
        tensor([0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return 1 / (1 + exp(-input))."""
        return F.sigmoid(input)


class Tanh(Module):
    """Hyperbolic tangent, element by element.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Tanh()(gpukit.zeros(1))
        tensor([0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return tanh(input)."""
        return F.tanh(input)


class GELU(Module):
    """input * Φ(input), with Φ the normal distribution's function.

    Args:
        approximate: 'none', or 'tanh' for the approximation by tanh.

    Example:
        >>> import gpukit
        >>> gpukit.nn.GELU()(gpukit.zeros(1))
        tensor([0.])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return input * Φ(input)."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """Return the approximation."""
        return f"approximate={self.approximate!r}"


class Softmax(Module):
    """exp(input) divided by its sum along a dimension.

    Args:
        dim: The dimension whose slices sum to 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softmax(dim=0)(gpukit.zeros(2))
        tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = None if dim is None else int_of("Softmax", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        """Return softmax(input) along dim."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of softmax along a dimension.

    Args:
        dim: The dimension whose slices' exponentials sum to 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LogSoftmax(dim=0)(gpukit.zeros(1))
        tensor([0.])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = None if dim is None else int_of("LogSoftmax", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        """Return log_softmax(input) along dim."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"


class LeakyReLU(Module):
    """The input where it is positive, else negative_slope times it.

    Args:
        negative_slope: The slope below 0.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LeakyReLU(0.1)(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.1000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, or negative_slope times it below 0."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Return the slope."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" * self.inplace)


class ELU(Module):
    """The input where it is positive, else alpha * (exp(input) - 1).

    Args:
        alpha: Minus the limit far below 0.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ELU()(gpukit.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, or alpha * (exp(input) - 1) below 0."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """Return alpha."""
        return f"alpha={self.alpha}" + (", inplace=True" * self.inplace)


class SiLU(Module):
    """input * sigmoid(input), element by element.

    Args:
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.SiLU()(gpukit.zeros(1))
        tensor([0.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return input * sigmoid(input)."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Return 'inplace=True' or nothing."""
        return "inplace=True" if self.inplace else ""


class Softplus(Module):
    """log(1 + exp(beta * input)) / beta, a smooth ReLU.

    Args:
        beta: How sharp the bend is.
        threshold: Where beta * input exceeds it, the result is the input.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Softplus()(gpukit.zeros(1))
        tensor([0.6931])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Return log(1 + exp(beta * input)) / beta."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return beta and threshold."""
        return f"beta={self.beta}, threshold={self.threshold}"

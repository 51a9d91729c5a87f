"""Layers of one function each."""

from __future__ import annotations

from gpukit._core import Tensor, relu
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn.module import Module

__all__ = ["GELU", "LogSoftmax", "ReLU", "Sigmoid", "Softmax", "Tanh"]


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
        return input.relu_() if self.inplace else relu(input)

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
        return input.sigmoid()


class Tanh(Module):
    """Hyperbolic tangent, element by element.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Tanh()(gpukit.zeros(1))
        tensor([0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return tanh(input)."""
        return input.tanh()


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
        self.dim = dim

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
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return log_softmax(input) along dim."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"dim={self.dim}"

"""Layers that change the shape only."""

from __future__ import annotations

from gpukit._arguments import int_of, tensor_of
from gpukit._core import Tensor
from gpukit.nn.module import Module

__all__ = ["Flatten"]


class Flatten(Module):
    """Makes one dimension of several, by default of all but the first.

    Args:
        start_dim: First dimension to flatten.
        end_dim: Last one.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Flatten()(gpukit.ones(2, 3, 4)).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = int_of("Flatten", "start_dim", start_dim)
        self.end_dim = int_of("Flatten", "end_dim", end_dim)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input in its new shape."""
        tensor_of("Flatten", "input", input)
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"

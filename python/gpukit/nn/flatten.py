"""Layers that change the shape only."""

from __future__ import annotations

from gpukit._arguments import int_of, ints_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn.module import Module

__all__ = ["Flatten", "Unflatten"]


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


class Unflatten(Module):
    """Makes several dimensions of one.

    Args:
        dim: The dimension.
        unflattened_size: Its new sizes; one may be -1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Unflatten(1, (3, -1))(gpukit.ones(2, 12)).shape
        (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...] | list[int]) -> None:
        super().__init__()
        self.dim = int_of("Unflatten", "dim", dim)
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                "Unflatten: unflattened_size must be a tuple of ints, got "
                f"{type(unflattened_size).__name__}"
            )
        sizes = ints_of("Unflatten", "unflattened_size", unflattened_size)
        self.unflattened_size = tuple(sizes)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input in its new shape."""
        tensor_of("Unflatten", "input", input)
        if not -input.ndim <= self.dim < input.ndim:
            raise IndexError(f"Unflatten: dim={self.dim} is not a dimension of {input.shape}")
        dim = self.dim % input.ndim
        known = 1
        for size in self.unflattened_size:
            known *= size if size != -1 else 1
        open_sizes = self.unflattened_size.count(-1)
        size = input.shape[dim]
        if open_sizes > 1 or known <= 0 or (size % known if open_sizes else size != known):
            raise ShapeError(
                f"Unflatten: {self.unflattened_size} does not multiply to the {size} elements of "
                f"dimension {self.dim} of input {tuple(input.shape)}"
            )
        return input.reshape(*input.shape[:dim], *self.unflattened_size, *input.shape[dim + 1 :])

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"

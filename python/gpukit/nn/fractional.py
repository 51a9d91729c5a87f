"""Layers of max pooling whose windows begin at drawn places."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import bool_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError
from gpukit.nn._convolution import tuple_of
from gpukit.nn._fractional import fractional_largest, ratios_of
from gpukit.nn.module import Module

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]


class _FractionalMaxPool(Module):
    _count: int

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any,
        output_ratio: Any,
        return_indices: bool,
        random_samples: Tensor | None,
    ) -> None:
        super().__init__()
        op, count = type(self).__name__, self._count
        if (output_size is None) == (output_ratio is None):
            raise ArgumentError(f"{op}: give either output_size or output_ratio")
        self.kernel_size = tuple_of(op, "kernel_size", kernel_size, count)
        self.output_size = self.output_ratio = None
        if output_size is not None:
            self.output_size = tuple_of(op, "output_size", output_size, count)
        else:
            self.output_ratio = ratios_of(op, count, output_ratio)
        self.return_indices = bool_of(op, "return_indices", return_indices)
        self.register_buffer("_random_samples", random_samples)

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the largest element of each window."""
        return fractional_largest(
            f"fractional_max_pool{self._count}d", self._count, input, self.kernel_size,
            self.output_size, self.output_ratio, self.return_indices, self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest element of windows that begin at drawn places (Graham, 2014).

    Args:
        kernel_size: Size of a window.
        output_size: How many windows there are along each dimension.
        output_ratio: The same as a part of the input's sizes, between 0 and 1.
        return_indices: Give the number of each element in its plane too.
        _random_samples: (N, C, 2), from 0 up to 1, instead of numbers that are drawn.

    Example:
        >>> import gpukit
        >>> pool = gpukit.nn.FractionalMaxPool2d(2, output_ratio=0.5)
        >>> pool(gpukit.rand(1, 3, 8, 6)).shape
        (1, 3, 4, 3)
    """

    _count = 2

    def __init__(
        self,
        kernel_size: int | tuple[int, int],
        output_size: int | tuple[int, int] | None = None,
        output_ratio: float | tuple[float, float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)


class FractionalMaxPool3d(_FractionalMaxPool):
    """FractionalMaxPool2d of three dimensions.

    Args:
        kernel_size: Size of a window.
        output_size: How many windows there are along each dimension.
        output_ratio: The same as a part of the input's sizes, between 0 and 1.
        return_indices: Give the number of each element in its volume too.
        _random_samples: (N, C, 3), from 0 up to 1, instead of numbers that are drawn.

    Example:
        >>> import gpukit
        >>> pool = gpukit.nn.FractionalMaxPool3d(2, output_size=2)
        >>> pool(gpukit.rand(1, 3, 4, 4, 4)).shape
        (1, 3, 2, 2, 2)
    """

    _count = 3

    def __init__(
        self,
        kernel_size: int | tuple[int, int, int],
        output_size: int | tuple[int, int, int] | None = None,
        output_ratio: float | tuple[float, float, float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)

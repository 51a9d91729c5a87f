"""Layers that add elements at the ends of the last dimensions."""

from __future__ import annotations

from typing import ClassVar

from gpukit._arguments import number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ShapeError
from gpukit.nn._convolution import tuple_of
from gpukit.nn._padding import pad
from gpukit.nn.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Padding(Module):
    """Pads the last dimensions; `padding` is (before, after) of the last one first."""

    _count: ClassVar[int]
    _mode: ClassVar[str]

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        name = type(self).__name__
        self.padding = tuple_of(name, "padding", padding, 2 * self._count, None)

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        return pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _Circular(_Padding):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        tensor_of(type(self).__name__, "input", input)
        if input.ndim not in {self._count + 1, self._count + 2}:
            raise ShapeError(
                f"{type(self).__name__}: input must have {self._count + 1} or {self._count + 2} "
                f"dimensions, its shape is {tuple(input.shape)}"
            )
        return super().forward(input)


class _Constant(_Padding):
    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__(padding)
        self.value = number_of(type(self).__name__, "value", value)

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        return pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the sizes and the value."""
        return f"padding={self.padding}, value={self.value}"


class _Zero(_Constant):
    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _Reflection(_Padding):
    _mode = "reflect"


class _Replication(_Padding):
    _mode = "replicate"


class CircularPad1d(_Circular):
    """Pads the last dimension with the elements of the other end.

    Args:
        padding: Elements at each end, or 2 numbers: (before, after) of the last dimension.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CircularPad1d(1)(gpukit.ones(1, 2, 3)).shape
        (1, 2, 5)
    """

    _count = 1


class CircularPad2d(_Circular):
    """Pads the last 2 dimensions with the elements of the other end.

    Args:
        padding: Elements at each end, or 4 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CircularPad2d(1)(gpukit.ones(1, 2, 3, 3)).shape
        (1, 2, 5, 5)
    """

    _count = 2


class CircularPad3d(_Circular):
    """Pads the last 3 dimensions with the elements of the other end.

    Args:
        padding: Elements at each end, or 6 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CircularPad3d(1)(gpukit.ones(1, 2, 3, 3, 3)).shape
        (1, 2, 5, 5, 5)
    """

    _count = 3


class ConstantPad1d(_Constant):
    """Pads the last dimension with a number.

    Args:
        padding: Elements at each end, or 2 numbers: (before, after) of the last dimension.
            Negative ones remove elements.
        value: The number.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ConstantPad1d(1, 3.5)(gpukit.ones(1, 2, 3)).shape
        (1, 2, 5)
    """

    _count = 1


class ConstantPad2d(_Constant):
    """Pads the last 2 dimensions with a number.

    Args:
        padding: Elements at each end, or 4 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.
        value: The number.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ConstantPad2d(1, 3.5)(gpukit.ones(1, 2, 3, 3)).shape
        (1, 2, 5, 5)
    """

    _count = 2


class ConstantPad3d(_Constant):
    """Pads the last 3 dimensions with a number.

    Args:
        padding: Elements at each end, or 6 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.
        value: The number.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ConstantPad3d(1, 3.5)(gpukit.ones(1, 2, 3, 3, 3)).shape
        (1, 2, 5, 5, 5)
    """

    _count = 3


class ReflectionPad1d(_Reflection):
    """Pads the last dimension with its mirrored elements, without the edge.

    Args:
        padding: Elements at each end, or 2 numbers: (before, after) of the last dimension.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReflectionPad1d(1)(gpukit.ones(1, 2, 3)).shape
        (1, 2, 5)
    """

    _count = 1


class ReflectionPad2d(_Reflection):
    """Pads the last 2 dimensions with its mirrored elements, without the edge.

    Args:
        padding: Elements at each end, or 4 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReflectionPad2d(1)(gpukit.ones(1, 2, 3, 3)).shape
        (1, 2, 5, 5)
    """

    _count = 2


class ReflectionPad3d(_Reflection):
    """Pads the last 3 dimensions with its mirrored elements, without the edge.

    Args:
        padding: Elements at each end, or 6 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReflectionPad3d(1)(gpukit.ones(1, 2, 3, 3, 3)).shape
        (1, 2, 5, 5, 5)
    """

    _count = 3


class ReplicationPad1d(_Replication):
    """Pads the last dimension with the element at the edge.

    Args:
        padding: Elements at each end, or 2 numbers: (before, after) of the last dimension.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReplicationPad1d(1)(gpukit.ones(1, 2, 3)).shape
        (1, 2, 5)
    """

    _count = 1


class ReplicationPad2d(_Replication):
    """Pads the last 2 dimensions with the element at the edge.

    Args:
        padding: Elements at each end, or 4 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReplicationPad2d(1)(gpukit.ones(1, 2, 3, 3)).shape
        (1, 2, 5, 5)
    """

    _count = 2


class ReplicationPad3d(_Replication):
    """Pads the last 3 dimensions with the element at the edge.

    Args:
        padding: Elements at each end, or 6 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ReplicationPad3d(1)(gpukit.ones(1, 2, 3, 3, 3)).shape
        (1, 2, 5, 5, 5)
    """

    _count = 3


class ZeroPad1d(_Zero, ConstantPad1d):
    """Pads the last dimension with zeros.

    Args:
        padding: Elements at each end, or 2 numbers: (before, after) of the last dimension.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ZeroPad1d(1)(gpukit.ones(1, 2, 3)).shape
        (1, 2, 5)
    """


class ZeroPad2d(_Zero, ConstantPad2d):
    """Pads the last 2 dimensions with zeros.

    Args:
        padding: Elements at each end, or 4 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ZeroPad2d(1)(gpukit.ones(1, 2, 3, 3)).shape
        (1, 2, 5, 5)
    """


class ZeroPad3d(_Zero, ConstantPad3d):
    """Pads the last 3 dimensions with zeros.

    Args:
        padding: Elements at each end, or 6 numbers: (before, after) of the last dimension first.
            Negative ones remove elements.

    Example:
        >>> import gpukit
        >>> gpukit.nn.ZeroPad3d(1)(gpukit.ones(1, 2, 3, 3, 3)).shape
        (1, 2, 5, 5, 5)
    """

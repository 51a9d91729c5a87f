"""Max pooling whose windows begin at places that are drawn (Graham, 2014, arXiv:1412.6071)."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._convolution import tuple_of
from gpukit.nn._named_nodes import names_node


def ratios_of(op: str, count: int, value: Any) -> tuple[float, ...]:
    """One number between 0 and 1 for all dimensions, or one for each."""
    given = list(value) if isinstance(value, (list, tuple)) else [value] * count
    ratios = tuple(number_of(op, "output_ratio", each) for each in given)
    if len(ratios) != count or not all(0 < each < 1 for each in ratios):
        raise ArgumentError(
            f"{op}: output_ratio must be a number between 0 and 1, or {count} of them, "
            f"got {value!r}"
        )
    return ratios


def _places(
    op: str, input: Tensor, taps: tuple[int, ...], output_size: Any, output_ratio: Any
) -> tuple[int, ...]:
    """How many windows there are along each dimension."""
    count, sizes = len(taps), input.shape[-len(taps) :]
    if (output_size is None) == (output_ratio is None):
        raise ArgumentError(f"{op}: give either output_size or output_ratio")
    if output_size is not None:
        places = tuple_of(op, "output_size", output_size, count)
    else:
        ratios = ratios_of(op, count, output_ratio)
        places = tuple(int(size * ratio) for size, ratio in zip(sizes, ratios, strict=True))
    if min(places) < 1 or any(
        n + tap - 1 > size for n, tap, size in zip(places, taps, sizes, strict=True)
    ):
        raise ShapeError(
            f"{op}: input {tuple(input.shape)} has no room for {places} windows of {taps} that "
            "begin at different places"
        )
    return places


def _samples(op: str, input: Tensor, count: int, given: Any) -> Tensor:
    """(N, C, count): the numbers that the places of each plane follow from."""
    shape = (1 if input.ndim == count + 1 else input.shape[0], input.shape[-count - 1], count)
    if given is None:
        return _core.rand(shape, dtype=input.dtype, device=input.device)
    samples = tensor_of(op, "_random_samples", given)
    if samples.dtype is not input.dtype or tuple(samples.shape) != shape:
        raise ShapeError(
            f"{op}: _random_samples is {tuple(samples.shape)} of {samples.dtype}; it must be "
            f"{shape} of input's dtype"
        )
    return samples


def _starts(sample: Tensor, size: int, places: int, taps: int) -> Tensor:
    """(N, C, places): where the windows of each plane begin."""
    last = sample.new_full((*sample.shape, 1), size - taps, dtype=_core.int64)
    if places == 1:
        return last
    alpha = sample.new_full((), size - taps) / (places - 1)  # rounded to the dtype, as torch
    steps = _core.arange(places - 1, dtype=sample.dtype, device=sample.device)
    begin = ((steps + sample.unsqueeze(-1)) * alpha).long()
    return _core.cat([begin - (sample * alpha).long().unsqueeze(-1), last], -1)


def _numbers(samples: Tensor, sizes: Any, places: Any, taps: Any) -> Tensor:
    """(N, C, places…, taps): the number of each element of each window in its plane."""
    count = len(sizes)
    numbers: Any = 0
    for dim in range(count):
        # torch's first sample is of the last dimension where there are two, else of the first.
        sample = samples[..., count - 1 - dim if count == 2 else dim]
        starts = _starts(sample, sizes[dim], places[dim], taps[dim])
        starts = starts.reshape(
            *sample.shape, *[-1 if each == dim else 1 for each in range(count)], *[1] * count
        )
        inside = _core.arange(taps[dim], device=samples.device)
        inside = inside.reshape([-1 if each == dim else 1 for each in range(count)])
        numbers = numbers * sizes[dim] + starts + inside
    every: Tensor = numbers.expand(*samples.shape[:2], *places, *taps)
    return every.flatten(2 + count)


def fractional_largest(
    op: str,
    count: int,
    input: Tensor,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    return_indices: Any,
    random_samples: Any,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each drawn window, and its number in its plane."""
    x = tensor_of(op, "input", input)
    if not x.is_floating_point():
        raise DTypeError(f"{op}: input must be floating, it is {x.dtype}; use input.float()")
    taps = tuple_of(op, "kernel_size", kernel_size, count)
    both = bool_of(op, "return_indices", return_indices)
    if x.ndim not in {count + 1, count + 2}:
        raise ShapeError(
            f"{op}: input is {tuple(x.shape)}; it must have {count + 1} or {count + 2} dimensions"
        )
    places = _places(op, x, taps, output_size, output_ratio)
    samples = _samples(op, x, count, random_samples)
    shape = (*x.shape[:-count], *places)
    numbers = _numbers(samples, x.shape[-count:], places, taps)
    planes = x.reshape(*samples.shape[:2], -1)
    seen = planes.detach().gather(-1, numbers.flatten(2)).reshape(numbers.shape)
    largest = numbers.gather(-1, seen.argmax(-1, keepdim=True)).reshape(*samples.shape[:2], -1)
    values = planes.gather(-1, largest).reshape(shape)
    return (values, largest.reshape(shape)) if both else values


@names_node("FractionalMaxPool2DBackward0")
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: int | tuple[int, int],
    output_size: int | tuple[int, int] | None = None,
    output_ratio: float | tuple[float, float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of windows that begin at drawn places of each plane.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        kernel_size: Size of a window.
        output_size: How many windows there are along each dimension.
        output_ratio: The same as a part of H and W, between 0 and 1.
        return_indices: Give the number of each element in its plane too.
        _random_samples: (N, C, 2), from 0 up to 1: what the places follow from, instead of
            numbers that are drawn.

    Returns:
        The values, or the values and int64 numbers.

    Raises:
        ShapeError: input has other dimensions, or no room for the windows.
        DTypeError: input is not floating.
        ValueError: Neither or both of output_size and output_ratio are given, or one is outside.

    Example:
        >>> import gpukit
        >>> x = gpukit.arange(16.0).reshape(1, 4, 4)
        >>> gpukit.nn.functional.fractional_max_pool2d(x, 2, output_size=1)
        tensor([[[15.]]])
    """
    return fractional_largest(
        "fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio,
        return_indices, _random_samples,
    )  # fmt: skip


@names_node("FractionalMaxPool3DBackward0")
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: int | tuple[int, int, int],
    output_size: int | tuple[int, int, int] | None = None,
    output_ratio: float | tuple[float, float, float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of windows that begin at drawn places of each volume.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), floating.
        kernel_size: Size of a window.
        output_size: How many windows there are along each dimension.
        output_ratio: The same as a part of D, H and W, between 0 and 1.
        return_indices: Give the number of each element in its volume too.
        _random_samples: (N, C, 3), from 0 up to 1: what the places follow from, instead of
            numbers that are drawn.

    Returns:
        The values, or the values and int64 numbers.

    Raises:
        ShapeError: input has other dimensions, or no room for the windows.
        DTypeError: input is not floating.
        ValueError: Neither or both of output_size and output_ratio are given, or one is outside.

    Example:
        >>> import gpukit
        >>> x = gpukit.arange(8.0).reshape(1, 2, 2, 2)
        >>> gpukit.nn.functional.fractional_max_pool3d(x, 2, output_size=1)
        tensor([[[[7.]]]])
    """
    return fractional_largest(
        "fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio,
        return_indices, _random_samples,
    )  # fmt: skip

"""Windows of signals, as torch's functions of these names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, number_of
from gpukit._core import Tensor
from gpukit._operators.made import options_of
from gpukit.errors import DTypeError


def _window(
    function: str,
    length: Any,
    periodic: Any,
    shape: Callable[[Tensor], Tensor],
    options: dict[str, Any],
) -> Tensor:
    """Of points from 0 to 1, in float64; one more than are kept where it is periodic."""
    count = int_from(function, "window_length", length, 0)
    dtype = options.pop("dtype", None)
    if dtype is None:
        dtype = _core.get_default_dtype()
    dtype = _core.parse_target(function, "dtype", dtype)[1]
    if dtype is None or not dtype.is_floating_point:
        raise DTypeError(f"{function}: dtype must be floating, it is {dtype}")
    record = bool_of(function, "requires_grad", options.pop("requires_grad", False))
    known = options_of(function, options, ("pin_memory",))
    known.pop("pin_memory", None)
    if count < 2:
        return _core.ones(count, dtype=dtype, **known).requires_grad_(record)
    last = count if bool_of(function, "periodic", periodic) else count - 1
    points = _core.arange(count, dtype=_core.float64, **known) / last
    return shape(points).to(dtype).requires_grad_(record)


def _cosines(*factors: float) -> Callable[[Tensor], Tensor]:
    """A sum of cosines of multiples of the point."""

    def shape(points: Tensor) -> Tensor:
        total = _core.full_like(points, factors[0])
        for k, factor in enumerate(factors[1:], 1):
            total = total + (points * (2 * math.pi * k)).cos() * factor
        return total

    return shape


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Return a Hann window: 0.5 - 0.5 cos(2 pi n / N).

    Args:
        window_length: How many numbers.
        periodic: N is the length; else one less, and the window is symmetric.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.ones`.

    Raises:
        ValueError: `window_length` is negative.
        DTypeError: `dtype` is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann_window", window_length, periodic, _cosines(0.5, -0.5), options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor:
    """Return a Hamming window: alpha - beta cos(2 pi n / N).

    Args:
        window_length: How many numbers.
        periodic: N is the length; else one less, and the window is symmetric.
        alpha: The first factor.
        beta: The second one.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.ones`.

    Raises:
        ValueError: `window_length` is negative.
        DTypeError: `dtype` is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.hamming_window(2)
        tensor([0.0800, 1.0000])
    """
    first = number_of("hamming_window", "alpha", alpha)
    second = number_of("hamming_window", "beta", beta)
    return _window("hamming_window", window_length, periodic, _cosines(first, -second), options)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Return a Blackman window: 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N).

    Args:
        window_length: How many numbers.
        periodic: N is the length; else one less, and the window is symmetric.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.ones`.

    Raises:
        ValueError: `window_length` is negative.
        DTypeError: `dtype` is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.blackman_window(4)[2]
        tensor(1.)
    """
    shape = _cosines(0.42, -0.5, 0.08)
    return _window("blackman_window", window_length, periodic, shape, options)


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Return a triangle from 0 to 1 and back.

    Args:
        window_length: How many numbers.
        periodic: The end is left out; else the window is symmetric.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.ones`.

    Raises:
        ValueError: `window_length` is negative.
        DTypeError: `dtype` is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(
        "bartlett_window", window_length, periodic, lambda x: 1 - (2 * x - 1).abs(), options
    )


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """Return a Kaiser window: i0(beta sqrt(1 - (2 n / N - 1)^2)) / i0(beta).

    Args:
        window_length: How many numbers.
        periodic: N is the length; else one less, and the window is symmetric.
        beta: The larger, the narrower.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.ones`.

    Raises:
        ValueError: `window_length` is negative.
        DTypeError: `dtype` is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.kaiser_window(4, beta=0.0)
        tensor([1., 1., 1., 1.])
    """
    width = number_of("kaiser_window", "beta", beta)

    def shape(points: Tensor) -> Tensor:
        inside = (1 - (2 * points - 1).square()).clamp(min=0).sqrt() * width
        return inside.i0() / _core.full_like(points, width).i0()

    return _window("kaiser_window", window_length, periodic, shape, options)

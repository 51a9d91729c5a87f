"""Windows for pieces of signals."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, number_of
from gpukit._core import Tensor
from gpukit.errors import DTypeError


def _places(function: str, window_length: Any, periodic: Any, options: dict[str, Any]) -> Tensor:
    """Numbers from 0 to 1, in float64: of a periodic window without the last."""
    count = int_from(function, "window_length", window_length, 0)
    dtype = options.get("dtype")
    if dtype is not None and not _core.dtype(dtype).is_floating_point:
        raise DTypeError(f"{function}: dtype must be floating, got {_core.dtype(dtype).name}")
    last = count if bool_of(function, "periodic", periodic) else count - 1
    places = _core.arange(count, dtype=_core.float64, device=options.get("device"))
    return places / max(last, 1)


def _finished(function: str, values: Tensor, options: dict[str, Any]) -> Tensor:
    """In the dtype that was asked for. The window of one number is 1."""
    dtype = options.get("dtype")
    made = _core.ones_like(values) if len(values) == 1 else values
    made = made.to(_core.get_default_dtype() if dtype is None else dtype)
    wanted = options.get("requires_grad", False)
    return made.requires_grad_(bool_of(function, "requires_grad", wanted))


def _cosines(
    function: str, places: Tensor, factors: list[float], options: dict[str, Any]
) -> Tensor:
    total = _core.zeros_like(places)
    for i, factor in enumerate(factors):
        total = total + (2 * math.pi * i * places).cos() * factor
    return _finished(function, total, options)


def hann_window(window_length: Any, periodic: Any = True, **options: Any) -> Tensor:
    """Squares of a half sine."""
    places = _places("hann_window", window_length, periodic, options)
    return _cosines("hann_window", places, [0.5, -0.5], options)


def hamming_window(
    window_length: Any, periodic: Any = True, alpha: Any = 0.54, beta: Any = 0.46, **options: Any
) -> Tensor:
    """A cosine on a pedestal."""
    places = _places("hamming_window", window_length, periodic, options)
    mean = number_of("hamming_window", "alpha", alpha)
    height = number_of("hamming_window", "beta", beta)
    return _cosines("hamming_window", places, [mean, -height], options)


def blackman_window(window_length: Any, periodic: Any = True, **options: Any) -> Tensor:
    """Three cosines."""
    places = _places("blackman_window", window_length, periodic, options)
    return _cosines("blackman_window", places, [0.42, -0.5, 0.08], options)


def bartlett_window(window_length: Any, periodic: Any = True, **options: Any) -> Tensor:
    """A triangle."""
    places = _places("bartlett_window", window_length, periodic, options)
    return _finished("bartlett_window", 1 - (2 * places - 1).abs(), options)


def kaiser_window(
    window_length: Any, periodic: Any = True, beta: Any = 12.0, **options: Any
) -> Tensor:
    """Bessel functions of a half circle."""
    places = _places("kaiser_window", window_length, periodic, options)
    width = number_of("kaiser_window", "beta", beta)
    circle = (1 - (2 * places - 1) ** 2).clamp(min=0).sqrt()
    top = _core.full((), width, dtype=_core.float64, device=places.device)
    return _finished("kaiser_window", _core.i0(circle * width) / _core.i0(top), options)

"""Windows of signals, as torch.signal.windows: symmetric, or with sym=False periodic.

All are computed in float64 and rounded once. The formulas are those of F. J. Harris, "On the use of
windows for harmonic analysis with the discrete Fourier transform", 1978; nuttall is the window with
four terms of A. Nuttall, "Some windows with very good sidelobe behavior", 1981.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, number_of
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, DTypeError

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


class _WindowDTypeError(DTypeError, ValueError):
    """A dtype of no window, where torch raises ValueError."""


def _window(function: str, size: Any, shape: Callable[[Tensor], Tensor], options: Any) -> Tensor:
    """The shape of 0, 1, … size - 1, in float64."""
    layout, dtype = options["layout"], options["dtype"]
    count = int_from(function, "M", size, 0)
    if layout is not None and layout != "strided":
        raise ArgumentError(f"{function}: layout must be gpukit.strided, got {layout!r:.80}")
    dtype = _core.get_default_dtype() if dtype is None else dtype
    dtype = _core.parse_target(function, "dtype", dtype)[1]
    if dtype not in {_core.float32, _core.float64}:
        raise _WindowDTypeError(f"{function}: dtype must be float32 or float64, got {dtype}")
    record = bool_of(function, "requires_grad", options["requires_grad"])
    points = _core.arange(count, dtype=_core.float64, device=options["device"])
    return shape(points).to(dtype).requires_grad_(record)


def _periods(function: str, size: int, sym: bool) -> int:
    """How many steps the whole window has; 1 point has no step."""
    count = int_from(function, "M", size, 0)
    return max(1, count - 1 if bool_of(function, "sym", sym) else count)


def _positive(function: str, name: str, value: Any) -> float:
    number = number_of(function, name, value)
    if not number > 0:
        raise ArgumentError(f"{function}: {name} must be above 0, got {value!r}")
    return number


def _cosines(function: str, size: int, factors: Iterable[float], sym: bool, options: Any) -> Tensor:
    if not isinstance(factors, Iterable):
        raise TypeError(f"{function}: a must be a list of numbers, got {factors!r:.80}")
    weights = [number_of(function, "a", each) for each in factors]
    if not weights:
        raise ArgumentError(f"{function}: a must have a number at least, got none")
    step = 2 * math.pi / _periods(function, size, sym)

    def shape(points: Tensor) -> Tensor:
        if len(points) == 1:
            return _core.ones_like(points)
        total = _core.full_like(points, weights[0])
        for i, weight in enumerate(weights[1:], 1):
            total = total + (points * (i * step)).cos() * (-weight if i % 2 else weight)
        return total

    return _window(function, size, shape, options)


def bartlett(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a triangle: 1 - |2 n / N - 1|, N is M - 1 or, periodic, M.

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    steps = _periods("bartlett", M, sym)

    def shape(points: Tensor) -> Tensor:
        if len(points) == 1:
            return _core.ones_like(points)
        return 1 - (points * (2 / steps) - 1).abs()

    return _window("bartlett", M, shape, options)


def blackman(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Blackman window: 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N).

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.blackman(5)[1:3]
        tensor([0.3400, 1.0000])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return _cosines("blackman", M, (0.42, 0.5, 0.08), sym, options)


def cosine(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return half a period of a sine: sin(pi (n + 0.5) / M), periodic with M + 1.

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.cosine(3)
        tensor([0.5000, 1.0000, 0.5000])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    count = int_from("cosine", "M", M, 0)
    step = math.pi / max(1, count + 1 if not bool_of("cosine", "sym", sym) and count > 1 else count)
    return _window("cosine", M, lambda points: ((points + 0.5) * step).sin(), options)


def exponential(
    M: int,  # noqa: N803 (torch's name)
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return exp(-|n - center| / tau).

    Args:
        M: How many numbers.
        center: The place of the largest number; None for the middle, which a symmetric window has.
        tau: How slowly it falls, above 0.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another, tau is not above 0, or a
            symmetric window has a center.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.exponential(3)
        tensor([0.3679, 1.0000, 0.3679])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    length = _positive("exponential", "tau", tau)
    if bool_of("exponential", "sym", sym) and center is not None:
        raise ArgumentError(
            f"exponential: center must be None for a symmetric window, got {center!r}. Use "
            "sym=False"
        )
    middle = _middle("exponential", M, sym)
    place = middle if center is None else number_of("exponential", "center", center)
    return _window(
        "exponential", M, lambda points: (-(points - place).abs() / length).exp(), options
    )


def gaussian(
    M: int,  # noqa: N803 (torch's name)
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return exp(-(n - c)^2 / (2 std^2)), c is the middle.

    Args:
        M: How many numbers.
        std: The standard deviation, above 0.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another or std is not above 0.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.gaussian(3)
        tensor([0.6065, 1.0000, 0.6065])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    middle, width = _middle("gaussian", M, sym), _positive("gaussian", "std", std)
    return _window(
        "gaussian", M, lambda points: (((points - middle) / width).square() * -0.5).exp(), options
    )


def general_cosine(
    M: int,  # noqa: N803 (torch's name)
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a sum of cosines: a[0] - a[1] cos(2 pi n / N) + a[2] cos(4 pi n / N) - ….

    Args:
        M: How many numbers.
        a: The factors.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another or a is empty.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.general_cosine(3, a=[0.5, 0.5])
        tensor([0., 1., 0.])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return _cosines("general_cosine", M, a, sym, options)


def general_hamming(
    M: int,  # noqa: N803 (torch's name)
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return alpha - (1 - alpha) cos(2 pi n / N).

    Args:
        M: How many numbers.
        alpha: The first factor.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.general_hamming(3)
        tensor([0.0800, 1.0000, 0.0800])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    first = number_of("general_hamming", "alpha", alpha)
    return _cosines("general_hamming", M, (first, 1.0 - first), sym, options)


def hamming(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hamming window: 0.54 - 0.46 cos(2 pi n / N).

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.hamming(3)
        tensor([0.0800, 1.0000, 0.0800])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return _cosines("hamming", M, (0.54, 0.46), sym, options)


def hann(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hann window: 0.5 - 0.5 cos(2 pi n / N).

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.hann(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return _cosines("hann", M, (0.5, 0.5), sym, options)


def kaiser(
    M: int,  # noqa: N803 (torch's name)
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Kaiser window: i0(beta sqrt(1 - (2 n / N - 1)^2)) / i0(beta).

    Args:
        M: How many numbers.
        beta: The larger, the narrower; not negative.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another or beta is negative.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.kaiser(3, beta=0.0)
        tensor([1., 1., 1.])
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    width, steps = number_of("kaiser", "beta", beta), _periods("kaiser", M, sym)
    if not width >= 0:
        raise ArgumentError(f"kaiser: beta must be 0 or more, got {beta!r}")

    def shape(points: Tensor) -> Tensor:
        if len(points) == 1:
            return _core.ones_like(points)
        inside = (1 - (points * (2 / steps) - 1).square()).clamp(min=0).sqrt() * width
        # i0e is i0 exp(-x): no overflow of a large beta
        return inside.i0e() * (inside - width).exp() / _core.full_like(points, width).i0e()

    return _window("kaiser", M, shape, options)


def nuttall(
    M: int,  # noqa: N803 (torch's name)
    *,
    sym: bool = True,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return Nuttall's window of minimal side lobes, four cosines.

    Args:
        M: How many numbers.
        sym: Whether the window is symmetric; else one period of it.
        dtype: float32 or float64; None for the default dtype.
        layout: gpukit.strided or None.
        device: Where it is; None for the default device.
        requires_grad: Whether operations with it are recorded.

    Raises:
        ValueError: M is negative, dtype is another.

    Example:
        >>> import gpukit
        >>> gpukit.signal.windows.nuttall(3)[1]
        tensor(1.)
    """
    options = {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}
    return _cosines("nuttall", M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym, options)


def _middle(function: str, size: int, sym: bool) -> float:
    count = int_from(function, "M", size, 0)
    return (count if not bool_of(function, "sym", sym) and count > 1 else count - 1) / 2


__getattr__ = module_getattr(__name__)

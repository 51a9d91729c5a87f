"""The array API's extension `fft`: Fourier transforms.

Example:
    >>> import gpukit.array_api as xp
    >>> xp.fft.rfft(xp.asarray([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit import fft as _fft
from gpukit._core import Tensor
from gpukit.array_api._arguments import check_kind
from gpukit.errors import DTypeError

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def fft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The discrete Fourier transform along an axis.

    Args:
        x: An array; real or complex.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.fft(xp.ones((2, 4))).shape
        (2, 4)
    """
    check_kind("fft", "x", x, "real or complex")
    return _fft.fft(x, n, axis, norm)


def ifft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The inverse of fft.

    Args:
        x: An array; real or complex.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.ifft(xp.ones((2, 4))).shape
        (2, 4)
    """
    check_kind("ifft", "x", x, "real or complex")
    return _fft.ifft(x, n, axis, norm)


def fftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The Fourier transform along several axes.

    Args:
        x: An array; real or complex.
        s: Sizes, one for each of axes, to which x is cut or continued with zeros.
        axes: The axes; by default the last ones that s has sizes for, or all.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.fftn(xp.ones((2, 4))).shape
        (2, 4)
    """
    check_kind("fftn", "x", x, "real or complex")
    return _fft.fftn(x, s, axes, norm)


def ifftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of fftn.

    Args:
        x: An array; real or complex.
        s: Sizes, one for each of axes, to which x is cut or continued with zeros.
        axes: The axes; by default the last ones that s has sizes for, or all.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.ifftn(xp.ones((2, 4))).shape
        (2, 4)
    """
    check_kind("ifftn", "x", x, "real or complex")
    return _fft.ifftn(x, s, axes, norm)


def rfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The first half of the Fourier transform of real lines.

    Args:
        x: An array; real floating.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.rfft(xp.ones((2, 4))).shape
        (2, 3)
    """
    check_kind("rfft", "x", x, "real floating")
    return _fft.rfft(x, n, axis, norm)


def irfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The inverse of rfft: real lines.

    Args:
        x: An array; complex floating.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A real array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.irfft(xp.ones((2, 3), dtype=xp.complex64)).shape
        (2, 4)
    """
    check_kind("irfft", "x", x, "complex floating")
    return _fft.irfft(x, n, axis, norm)


def rfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Rfft along the last of several axes, fft along the others.

    Args:
        x: An array; real floating.
        s: Sizes, one for each of axes, to which x is cut or continued with zeros.
        axes: The axes; by default the last ones that s has sizes for, or all.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.rfftn(xp.ones((2, 4))).shape
        (2, 3)
    """
    check_kind("rfftn", "x", x, "real floating")
    return _fft.rfftn(x, s, axes, norm)


def irfftn(
    x: Tensor,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """The inverse of rfftn.

    Args:
        x: An array; complex floating.
        s: Sizes, one for each of axes, to which x is cut or continued with zeros.
        axes: The axes; by default the last ones that s has sizes for, or all.
        norm: "backward", "ortho" or "forward".

    Returns:
        A real array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.irfftn(xp.ones((2, 3), dtype=xp.complex64)).shape
        (2, 4)
    """
    check_kind("irfftn", "x", x, "complex floating")
    return _fft.irfftn(x, s, axes, norm)


def hfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The Fourier transform of lines that are given by their first half: real lines.

    Args:
        x: An array; complex floating.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A real array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.hfft(xp.ones((2, 3), dtype=xp.complex64)).shape
        (2, 4)
    """
    check_kind("hfft", "x", x, "complex floating")
    return _fft.hfft(x, n, axis, norm)


def ihfft(
    x: Tensor,
    /,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
) -> Tensor:
    """The inverse of hfft: the first half of lines.

    Args:
        x: An array; real floating.
        n: How many numbers, to which lines are cut or continued with zeros.
        axis: The axis.
        norm: "backward", "ortho" or "forward".

    Returns:
        A complex array.

    Raises:
        ValueError: A size is below 1, or norm is another text.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.ihfft(xp.ones((2, 4))).shape
        (2, 3)
    """
    check_kind("ihfft", "x", x, "real floating")
    return _fft.ihfft(x, n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of a transform of n samples: 0 first, the negative ones last.

    Args:
        n: The number of samples, 1 or more.
        d: The distance of two samples.
        dtype: A real floating dtype; by default the default one.
        device: Where the result is.

    Returns:
        Frequencies in cycles per unit of d.

    Raises:
        ValueError: n is below 1, or d is 0.
        DTypeError: dtype is not a real floating one.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    if dtype is not None and not _core.dtype(dtype).is_floating_point:
        raise DTypeError(f"fftfreq: dtype is {dtype}; a real floating one is needed")
    return _fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies, from 0 on, of a transform of n real samples.

    Args:
        n: The number of samples, 1 or more.
        d: The distance of two samples.
        dtype: A real floating dtype; by default the default one.
        device: Where the result is.

    Returns:
        Frequencies in cycles per unit of d.

    Raises:
        ValueError: n is below 1, or d is 0.
        DTypeError: dtype is not a real floating one.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """
    if dtype is not None and not _core.dtype(dtype).is_floating_point:
        raise DTypeError(f"rfftfreq: dtype is {dtype}; a real floating one is needed")
    return _fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The elements in ascending order of their frequencies: frequency 0 in the middle.

    Args:
        x: An array; real or complex.
        axes: An axis, a tuple of them, or None for all.

    Returns:
        A copy; x's shape and dtype.

    Raises:
        IndexError: There is no such axis.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.fftshift(xp.fft.fftfreq(4))
        tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    check_kind("fftshift", "x", x, "real or complex")
    return _fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """What `fftshift` was given.

    Args:
        x: An array; real or complex.
        axes: An axis, a tuple of them, or None for all.

    Returns:
        A copy; x's shape and dtype.

    Raises:
        IndexError: There is no such axis.
        DTypeError: x is of another kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.fft.ifftshift(xp.asarray([-2.0, -1.0, 0.0, 1.0]))
        tensor([ 0.,  1., -2., -1.])
    """
    check_kind("ifftshift", "x", x, "real or complex")
    return _fft.ifftshift(x, axes)

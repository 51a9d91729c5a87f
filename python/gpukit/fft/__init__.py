"""Discrete Fourier transforms, their frequencies and order, under torch.fft's names.

Sizes whose prime factors are 2, 3, 5, 7, 11 and 13 are computed directly, all others by Bluestein's
convolution. What a device lacks raises NotImplementedError, which names `.cpu()`.
"""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import dim_of as _dim_of
from gpukit._arguments import int_from as _int_from
from gpukit._arguments import ints_of as _ints_of
from gpukit._arguments import number_of as _number_of
from gpukit._arguments import tensor_of as _tensor_of
from gpukit._core import Tensor
from gpukit._core import fft_fft as fft
from gpukit._core import fft_fft2 as fft2
from gpukit._core import fft_fftn as fftn
from gpukit._core import fft_hfft as hfft
from gpukit._core import fft_hfft2 as hfft2
from gpukit._core import fft_hfftn as hfftn
from gpukit._core import fft_ifft as ifft
from gpukit._core import fft_ifft2 as ifft2
from gpukit._core import fft_ifftn as ifftn
from gpukit._core import fft_ihfft as ihfft
from gpukit._core import fft_ihfft2 as ihfft2
from gpukit._core import fft_ihfftn as ihfftn
from gpukit._core import fft_irfft as irfft
from gpukit._core import fft_irfft2 as irfft2
from gpukit._core import fft_irfftn as irfftn
from gpukit._core import fft_rfft as rfft
from gpukit._core import fft_rfft2 as rfft2
from gpukit._core import fft_rfftn as rfftn
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequencies of a transform of n samples: 0 first, the negative ones last.

    Args:
        n: The number of samples, 1 or more.
        d: The distance of two samples.
        dtype: A floating dtype; by default the default one.
        device: Where the result is.
        requires_grad: Record operations on the result.

    Returns:
        n frequencies in cycles per unit of d.

    Raises:
        ValueError: n is below 1, or d is 0.

    Example:
        >>> import gpukit
        >>> gpukit.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    count, width = _count_and_width("fftfreq", n, d)
    steps = _core.arange(count, dtype=dtype or _core.get_default_dtype(), device=device)
    folded = _core.where(steps >= (count + 1) // 2, steps - count, steps)
    return (folded / (count * width)).requires_grad_(requires_grad)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequencies, from 0 on, that a transform of n real samples gives.

    Args:
        n: The number of samples, 1 or more.
        d: The distance of two samples.
        dtype: A floating dtype; by default the default one.
        device: Where the result is.
        requires_grad: Record operations on the result.

    Returns:
        n // 2 + 1 frequencies in cycles per unit of d.

    Raises:
        ValueError: n is below 1, or d is 0.

    Example:
        >>> import gpukit
        >>> gpukit.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """
    count, width = _count_and_width("rfftfreq", n, d)
    steps = _core.arange(count // 2 + 1, dtype=dtype or _core.get_default_dtype(), device=device)
    return (steps / (count * width)).requires_grad_(requires_grad)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Return the elements in ascending order of their frequencies: frequency 0 in the middle.

    Args:
        input: A tensor of any shape, in the order of fftfreq.
        dim: A dimension, a tuple of them, or None for all.

    Returns:
        A copy; input's shape and dtype.

    Raises:
        IndexError: dim is not a dimension of input.

    Example:
        >>> import gpukit
        >>> gpukit.fft.fftshift(gpukit.fft.fftfreq(4))
        tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    x, axes = _shifted_dims("fftshift", input, dim)
    return _core.roll(x, [x.shape[axis] // 2 for axis in axes], axes)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Return what `fftshift` was given.

    Args:
        input: A tensor of any shape, in ascending order of frequencies.
        dim: A dimension, a tuple of them, or None for all.

    Returns:
        A copy in the order of fftfreq; input's shape and dtype.

    Raises:
        IndexError: dim is not a dimension of input.

    Example:
        >>> import gpukit
        >>> gpukit.fft.ifftshift(gpukit.tensor([-2, -1, 0, 1, 2]))
        tensor([ 0,  1,  2, -2, -1])
    """
    x, axes = _shifted_dims("ifftshift", input, dim)
    return _core.roll(x, [-(x.shape[axis] // 2) for axis in axes], axes)


def _count_and_width(function: str, n: Any, d: Any) -> tuple[int, float]:
    width = _number_of(function, "d", d)
    if width == 0:
        raise ArgumentError(f"{function}: d must not be 0")
    return _int_from(function, "n", n, 1), width


def _shifted_dims(function: str, input: Any, dim: Any) -> tuple[Tensor, list[int]]:
    x = _tensor_of(function, "input", input)
    if dim is None:
        return x, list(range(x.ndim))
    return x, [_dim_of(function, "dim", axis, x.ndim) for axis in _ints_of(function, "dim", dim)]


__getattr__ = module_getattr(__name__)

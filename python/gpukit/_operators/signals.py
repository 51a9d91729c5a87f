"""Short-time Fourier transforms and their inverse; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, int_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError


def _sizes(function: str, n_fft: Any, hop_length: Any, win_length: Any) -> tuple[int, int, int]:
    size = int_from(function, "n_fft", n_fft, 1)
    given = size // 4 if hop_length is None else hop_length
    hop = int_from(function, "hop_length", given, 1)
    width = size if win_length is None else int_from(function, "win_length", win_length, 1)
    if width > size:
        raise ArgumentError(f"{function}: win_length must be {size}, n_fft, or less, got {width}")
    return size, hop, width


def _window(function: str, window: Any, width: int, size: int, like: Tensor) -> Tensor:
    """The window in the middle of n_fft numbers, zeros around it."""
    if window is None:
        dtype = like.real.dtype if like.is_complex() else like.dtype
        shape = _core.ones(width, dtype=dtype, device=like.device)
    else:
        shape = tensor_of(function, "window", window)
        if tuple(shape.shape) != (width,):
            raise ShapeError(
                f"{function}: window is {tuple(shape.shape)}; it must be 1-d with win_length, "
                f"{width}, numbers"
            )
    left = (size - width) // 2
    sides = [shape.new_zeros(count) for count in (left, size - width - left)]
    return _core.cat([sides[0], shape, sides[1]]) if width < size else shape


def _padded(x: Tensor, count: int, mode: Any) -> Tensor:
    """More numbers on both sides of the last dimension."""
    last = x.shape[-1] - 1
    if mode == "constant":
        zeros = x.new_zeros((*x.shape[:-1], count))
        return _core.cat([zeros, x, zeros], -1)
    places = _core.arange(-count, last + 1 + count, device=x.device)
    if mode == "reflect":
        if count > last:
            raise ShapeError(
                f"stft: the signal has {last + 1} numbers; reflecting needs more than n_fft / 2, "
                f"{count}. Use center=False or pad_mode='constant'"
            )
        places = last - (last - places.abs()).abs()
    elif mode == "replicate":
        places = places.clamp(0, last)
    elif mode == "circular":
        places = places % (last + 1)
    else:
        raise ArgumentError(
            f"stft: pad_mode must be 'reflect', 'constant', 'replicate' or 'circular', got {mode!r}"
        )
    return x.index_select(-1, places)


def stft(
    input: Any,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: Any = True,
    pad_mode: Any = "reflect",
    normalized: Any = False,
    onesided: Any = None,
    return_complex: Any = None,
) -> Tensor:
    """Windows as rows, transformed."""
    x = tensor_of("stft", "input", input)
    if not (x.is_floating_point() or x.is_complex()):
        raise DTypeError(f"stft: input must be floating, it is {x.dtype.name}. Use x.float()")
    if x.ndim not in {1, 2}:
        raise ShapeError(f"stft: input must be 1-d or 2-d, it is {tuple(x.shape)}")
    size, hop, width = _sizes("stft", n_fft, hop_length, win_length)
    shape = _window("stft", window, width, size, x)
    real = not (x.is_complex() or shape.is_complex())
    if return_complex is None and real:
        raise ArgumentError("stft: return_complex is missing. Use return_complex=True")
    whole = True if return_complex is None else bool_of("stft", "return_complex", return_complex)
    half = real if onesided is None else bool_of("stft", "onesided", onesided)
    if half and not real:
        raise ArgumentError("stft: onesided is for a real input and a real window")
    if bool_of("stft", "center", center):
        x = _padded(x, size // 2, pad_mode)
    if x.shape[-1] < size:
        raise ShapeError(f"stft: the signal has {x.shape[-1]} numbers, n_fft is {size}")
    norm = "ortho" if bool_of("stft", "normalized", normalized) else None
    frames = x.unfold(-1, size, hop) * shape
    transform = _core.fft_rfft if half else _core.fft_fft
    result = transform(frames, norm=norm).transpose(-1, -2)
    return result if whole else _core.view_as_real(result)


def istft(
    input: Any,
    n_fft: Any,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: Any = True,
    normalized: Any = False,
    onesided: Any = None,
    length: Any = None,
    return_complex: Any = False,
) -> Tensor:
    """Windows added where they overlap, over the sum of their squares (Griffin and Lim 1984)."""
    x = tensor_of("istft", "input", input)
    if not x.is_complex():
        raise DTypeError(
            f"istft: input must be complex, it is {x.dtype.name}. Use gpukit.view_as_complex"
        )
    if x.ndim not in {2, 3} or not x.numel():
        raise ShapeError(
            f"istft: input is {tuple(x.shape)}; (frequencies, frames) or a batch is needed"
        )
    size, hop, width = _sizes("istft", n_fft, hop_length, win_length)
    half = x.shape[-2] != size if onesided is None else bool_of("istft", "onesided", onesided)
    if x.shape[-2] != (size // 2 + 1 if half else size):
        raise ShapeError(
            f"istft: input has {x.shape[-2]} frequencies; n_fft {size} has "
            f"{size // 2 + 1 if half else size}"
        )
    whole = bool_of("istft", "return_complex", return_complex)
    if whole and half:
        raise ArgumentError("istft: return_complex needs onesided=False")
    shape = _window("istft", window, width, size, x)
    norm = "ortho" if bool_of("istft", "normalized", normalized) else None
    rows = x.transpose(-1, -2)
    frames = _core.fft_irfft(rows, size, norm=norm) if half else _core.fft_ifft(rows, norm=norm)
    if not half and not whole:
        frames = frames.real
    signal = _overlapped(frames * shape, hop)
    weights = _overlapped(shape.square().expand(frames.shape[-2:]), hop)
    start = size // 2 if bool_of("istft", "center", center) else 0
    return _cut(signal, weights, start, length)


def _overlapped(frames: Tensor, hop: int) -> Tensor:
    """The sum of the rows, each a hop behind the one before it."""
    count, size = frames.shape[-2:]
    steps = _core.arange(count, device=frames.device).unsqueeze(1) * hop
    places = (steps + _core.arange(size, device=frames.device)).flatten()
    room = frames.new_zeros((*frames.shape[:-2], size + hop * (count - 1)))
    return room.index_add(-1, places, frames.flatten(-2))


def _cut(signal: Tensor, weights: Tensor, start: int, length: Any) -> Tensor:
    end = signal.shape[-1] - start
    wanted = None if length is None else int_of("istft", "length", length)
    if wanted is not None:
        end = min(start + wanted, signal.shape[-1])
    kept = slice(start, max(end, start))
    signal, weights = signal[..., kept], weights[kept]
    if weights.numel() and float(weights.abs().min().item()) < 1e-11:
        raise ArgumentError(
            "istft: the windows do not cover the signal. Use a shorter hop_length, a window "
            "without zeros, or center=True"
        )
    signal = signal / weights
    more = 0 if wanted is None else wanted - signal.shape[-1]
    if more > 0:
        signal = _core.cat([signal, signal.new_zeros((*signal.shape[:-1], more))], -1)
    return signal

"""Images of other sizes: each dimension apart, as a weighted sum of selected elements."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, GpukitError, ShapeError
from gpukit.nn._named_nodes import names_node

# The parameter of the cubic convolution (Keys, 1981): torch's, and the one of its antialiased form.
_CUBIC, _CUBIC_OF_MEANS = -0.75, -0.5
_RANK_OF = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
_MODES = ("nearest", "nearest-exact", "area", *_RANK_OF)


class _NoSuchModeError(GpukitError, NotImplementedError):
    """torch refuses these too, with NotImplementedError."""


_NODES = {
    "nearest": "UpsampleNearest{}DBackward0",
    "nearest-exact": "UpsampleNearestExact{}DBackward0",
    "linear": "UpsampleLinear{}DBackward0",
    "bilinear": "UpsampleBilinear{}DBackward0",
    "bicubic": "UpsampleBicubic{}DBackward0",
    "trilinear": "UpsampleTrilinear{}DBackward0",
    "area": "AdaptiveAvgPool{}DBackward0",
}


def _node_of(input: Tensor, *given: Any, **named: Any) -> str:
    mode = given[2] if len(given) > 2 else named.get("mode", "nearest")
    node = _NODES[mode].format(input.ndim - 2)
    antialias = given[5] if len(given) > 5 else named.get("antialias")
    return node.replace("Backward0", "AaBackward0") if antialias else node


@names_node(_node_of)
def interpolate(
    input: Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: float | tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Change the sizes of images, or of signals or volumes.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: The new sizes; one int is for all dimensions.
        scale_factor: In the place of size: what the sizes are multiplied by, rounded down.
        mode: 'nearest', 'nearest-exact' or 'area' for any input; 'linear' for 3, 'bilinear' and
            'bicubic' for 4, 'trilinear' for 5 dimensions.
        align_corners: With the linear and cubic modes: whether the first and last elements stay
            the first and last; None is False.
        recompute_scale_factor: Whether the steps follow from the rounded sizes, not from
            scale_factor.
        antialias: With 'bilinear' and 'bicubic': Pillow's filters. An element of a smaller image is
            a weighted mean of all elements that it covers, not of the nearest alone.

    Returns:
        (N, C, *new sizes), of input's dtype.

    Raises:
        ValueError: Neither or both of size and scale_factor, or of another length; antialias with
            another mode.
        NotImplementedError: mode is unknown, or for inputs of another rank.
        DTypeError: input is not floating; 'nearest' takes any dtype.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[[1.0, 4.0]]])
        >>> gpukit.nn.functional.interpolate(x, scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.7500, 3.2500, 4.0000]]])
    """
    tensor_of("interpolate", "input", input)
    _check_mode(input, mode, align_corners, antialias)
    sizes, factors = _targets(input, size, scale_factor, recompute_scale_factor)
    if mode == "area" or recompute_scale_factor:
        factors = [None] * len(sizes)
    if min(sizes, default=1) < 1 or 0 in input.shape[1:]:
        raise ShapeError(
            f"interpolate: input {tuple(input.shape)} to sizes {tuple(sizes)}: no size but that of "
            "the batch may be below 1"
        )
    # As much as the places take in Python: sizes beyond memory fail before they are listed.
    places = max(sizes, default=0) * (16 if antialias else 1)
    _core.empty(min(8 * places, 2**59), dtype=_core.int64, device="cpu")
    exact = input.dtype in {_core.float32, _core.float64} or mode.startswith("nearest")
    out = input if exact else input.float()
    resized = _blended if antialias else _resized
    for dim, (target, factor) in enumerate(zip(sizes, factors, strict=True), 2):
        out = resized(out, dim, Line(target, factor, bool(align_corners)), mode)
    out = out if exact else out.to(input.dtype)
    return out.clone() if out is input else out.contiguous()


class Line(NamedTuple):
    """How one dimension changes."""

    target: int
    factor: float | None
    align_corners: bool

    def step(self, size: int, rounded: Callable[[float], float]) -> float:
        """The distance in the input of two neighbours of the result."""
        if self.align_corners:
            return rounded((size - 1) / (self.target - 1)) if self.target > 1 else 0.0
        return rounded(1.0 / self.factor if self.factor else size / self.target)


def _check_mode(input: Tensor, mode: Any, align_corners: Any, antialias: Any) -> None:
    if mode not in _MODES or input.ndim not in {3, 4, 5}:
        raise _NoSuchModeError(
            f"interpolate: mode must be one of {', '.join(_MODES)} and input have 3, 4 or 5 "
            f"dimensions; got mode={mode!r} and input {tuple(input.shape)}"
        )
    if mode not in _RANK_OF and align_corners is not None:
        raise ArgumentError(
            f"interpolate: align_corners is for the linear and cubic modes, got mode={mode!r}"
        )
    if _RANK_OF.get(mode, input.ndim) != input.ndim:
        raise _NoSuchModeError(
            f"interpolate: mode {mode!r} is for inputs of {_RANK_OF[mode]} dimensions, input is "
            f"{tuple(input.shape)}"
        )
    if antialias and mode not in {"bilinear", "bicubic"}:
        raise ArgumentError(
            f"interpolate: antialias is for the modes 'bilinear' and 'bicubic', got mode={mode!r}"
        )
    if not mode.startswith("nearest") and not input.dtype.is_floating_point:
        raise DTypeError(
            f"interpolate: mode {mode!r} needs a floating input, it is {input.dtype}; "
            "use input.float()"
        )


def _targets(
    input: Tensor, size: Any, factor: Any, recompute: Any
) -> tuple[list[int], list[float | None]]:
    """The new sizes, and the factors that were given."""
    count = input.ndim - 2
    if (size is None) == (factor is None):
        raise ArgumentError("interpolate: exactly one of size and scale_factor must be given")
    if size is not None:
        if recompute:
            raise ArgumentError("interpolate: recompute_scale_factor is for scale_factor, not size")
        given = [int_of("interpolate", "size", n) for n in _each("size", size, input)]
        return given, [None] * count
    each = _each("scale_factor", factor, input)
    factors = [number_of("interpolate", "scale_factor", n) for n in each]
    if not all(math.isfinite(n) for n in factors):
        raise ArgumentError(f"interpolate: scale_factor must be finite, got {factor!r}")
    sizes = [math.floor(n * by) for n, by in zip(input.shape[2:], factors, strict=True)]
    return sizes, [*factors]


def _each(name: str, value: Any, input: Tensor) -> list[Any]:
    """One value for each dimension after the channels."""
    count = input.ndim - 2
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(
            f"interpolate: {name} must be a number or {count} of them for input "
            f"{tuple(input.shape)}, got {value!r}"
        )
    return [*value]


def _resized(x: Tensor, dim: int, line: Line, mode: str) -> Tensor:
    size, double = x.shape[dim], x.dtype is _core.float64
    if mode == "area":
        return averaged(x, dim, line.target)
    rounded = float if double else _single
    step = line.step(size, rounded)
    if mode.startswith("nearest"):
        half = 0.5 if mode == "nearest-exact" else 0.0
        return _selected(
            x, dim, [min(int(rounded((i + half) * step)), size - 1) for i in range(line.target)]
        )
    rows = (
        _place(i, step, line.align_corners, cubic=mode == "bicubic") for i in range(line.target)
    )
    return (_cubic if mode == "bicubic" else _linear)(x, dim, rows)


def _blended(x: Tensor, dim: int, line: Line, mode: str) -> Tensor:
    """Each element a weighted mean of the elements within the reach of its filter."""
    size = x.shape[dim]
    if line.target == size:
        return x
    step = line.step(size, float if x.dtype is _core.float64 else _single)
    wide, reach = max(step, 1.0), 2 if mode == "bicubic" else 1
    windows = []
    for i in range(line.target):
        centre = step * (i + 0.5)
        first = max(int(centre - reach * wide + 0.5), 0)
        distances = (
            abs(j + 0.5 - centre) / wide
            for j in range(first, min(int(centre + reach * wide + 0.5), size))
        )
        weights = [_weight_of_mean(distance, mode) for distance in distances]
        total = sum(weights)
        windows.append((first, [weight / total for weight in weights]))
    return _weighted_sums(x, dim, windows)


def _weighted_sums(x: Tensor, dim: int, windows: list[tuple[int, list[float]]]) -> Tensor:
    """Sums of neighbours times weights: by windows, each a first element and its weights.

    A narrow window repeats its last element, whose weight is divided, so that no element outside
    of the window takes part: infinity times 0 is NaN.
    """
    width = max(len(weights) for _, weights in windows)
    numbers: list[int] = []
    parts: list[float] = []
    for first, weights in windows:
        last, repeats = first + len(weights) - 1, width - len(weights) + 1
        numbers += [*range(first, last), *[last] * repeats]
        parts += [*weights[:-1], *[weights[-1] / repeats] * repeats]
    shape = (*x.shape[:dim], len(windows), width, *x.shape[dim + 1 :])
    column = (len(windows), width, *[1] * (x.ndim - dim - 1))
    factors = _core.tensor(parts, dtype=x.dtype, device=x.device).reshape(column)
    return (_selected(x, dim, numbers).reshape(shape) * factors).sum(dim + 1)


def _weight_of_mean(distance: float, mode: str) -> float:
    if mode == "bicubic":
        return _keys(distance, _CUBIC_OF_MEANS) if distance < 2 else 0.0
    return max(1.0 - distance, 0.0)


def _single(number: float) -> float:
    """A number rounded to float32, in which torch computes the places of most dtypes."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded


def _place(i: int, step: float, align_corners: bool, cubic: bool) -> float:
    """Where an element of the result lies in the input."""
    if align_corners:
        return i * step
    place = (i + 0.5) * step - 0.5
    return place if cubic else max(place, 0.0)


def _linear(x: Tensor, dim: int, places: Iterable[float]) -> Tensor:
    last = x.shape[dim] - 1
    pairs = [(min(int(place), last), place) for place in places]
    above = [min(max(place - i, 0.0), 1.0) for i, place in pairs]
    lower = _selected(x, dim, [i for i, _ in pairs])
    upper = _selected(x, dim, [min(i + 1, last) for i, _ in pairs])
    return lower * _column(x, dim, [1 - part for part in above]) + upper * _column(x, dim, above)


def _cubic(x: Tensor, dim: int, places: Iterable[float]) -> Tensor:
    last = x.shape[dim] - 1
    pairs = [(math.floor(place), place) for place in places]
    total = None
    for offset in (-1, 0, 1, 2):
        taken = _selected(x, dim, [min(max(i + offset, 0), last) for i, _ in pairs])
        weights = [_keys(abs(place - i - offset)) for i, place in pairs]
        part = taken * _column(x, dim, weights)
        total = part if total is None else total + part
    assert total is not None
    return total


def _keys(distance: float, a: float = _CUBIC) -> float:
    """The weight of an element at a distance of up to 2."""
    if distance <= 1:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a


def averaged(x: Tensor, dim: int, target: int) -> Tensor:
    """The mean over the part of the input that each element covers."""
    size = x.shape[dim]
    if size % target == 0:
        parts = (*x.shape[:dim], target, size // target, *x.shape[dim + 1 :])
        return x.reshape(parts).mean(dim + 1)
    ends = [(i * size // target, -(-(i + 1) * size // target)) for i in range(target)]
    return _core.cat([x.narrow(dim, a, b - a).mean(dim, keepdim=True) for a, b in ends], dim)


def _selected(x: Tensor, dim: int, numbers: list[int]) -> Tensor:
    if numbers == [*range(x.shape[dim])]:
        return x
    return x.index_select(dim, _core.tensor(numbers, device=x.device))


def _column(x: Tensor, dim: int, weights: list[float]) -> Tensor:
    """Weights that broadcast along a dimension."""
    made = _core.tensor(weights, dtype=x.dtype, device=x.device)
    return made.reshape(-1, *[1] * (x.ndim - dim - 1))

"""Padding at the ends of dimensions, composed of operations that record gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpukit import _core
from gpukit._arguments import ints_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import GpukitError, ShapeError
from gpukit.nn._named_nodes import names_node

Sides = list[tuple[int, int]]  # (before, after) of the last dimensions, in their order

_RANKS = {2: (2, 3), 4: (3, 4), 6: (4, 5)}  # of the input, by the length of pad


class _NotBuiltError(GpukitError, NotImplementedError):
    """torch refuses these too, with NotImplementedError."""


def _node_of(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> str:
    del input, value
    if mode == "constant":
        return "ConstantPadNdBackward0"
    if mode == "circular":
        return "CopySlices"
    return f"{'Reflection' if mode == 'reflect' else 'Replication'}Pad{len(pad) // 2}DBackward0"


@names_node(_node_of)
def pad(
    input: Tensor,
    pad: list[int] | tuple[int, ...],
    mode: str = "constant",
    value: float | None = None,
) -> Tensor:
    """Add elements at the ends of the last dimensions; negative sizes remove some.

    Args:
        input: A tensor. The modes other than 'constant' take one or two dimensions before
            those that are padded.
        pad: (before, after) of the last dimension, then of the one before it, and so on.
        mode: 'constant', 'reflect' (mirrored without the edge), 'replicate' (the edge) or
            'circular' (the other end).
        value: What 'constant' adds; None is 0.

    Returns:
        A new tensor of input's dtype; each padded size grows by before + after.

    Raises:
        ShapeError: pad has an odd length or too many numbers, or is too large for the size.
        NotImplementedError: mode is unknown, or not built for this rank.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.pad(gpukit.tensor([1.0, 2.0]), (1, 2))
        tensor([0., 1., 2., 0., 0.])
    """
    tensor_of("pad", "input", input)
    sides = _sides(input, ints_of("pad", "pad", pad))
    if mode == "constant":
        return padded(input, sides, 0.0 if value is None else number_of("pad", "value", value))
    if mode not in _ENDS:
        raise _NotBuiltError(
            f"pad: mode must be 'constant', 'reflect', 'replicate' or 'circular', got {mode!r}"
        )
    if value:
        raise GpukitError(f"pad: mode '{mode}' takes no value, got {value}")
    if input.ndim not in _RANKS.get(2 * len(sides), ()):
        raise _NotBuiltError(
            f"pad: mode '{mode}' with {2 * len(sides)} numbers is for tensors of "
            f"{_rank_text(len(sides))} dimensions, input is {tuple(input.shape)}"
        )
    return padded(input, sides, 0.0, mode)


def _rank_text(count: int) -> str:
    return " or ".join(map(str, _RANKS.get(2 * count, ("2 to 5",))))


def _sides(input: Tensor, numbers: list[int]) -> Sides:
    if len(numbers) % 2 or len(numbers) > 2 * input.ndim:
        raise ShapeError(
            f"pad: pad must hold two numbers for each padded dimension, at most "
            f"{2 * input.ndim} for input {tuple(input.shape)}, got {len(numbers)}"
        )
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    for back, (before, after) in enumerate(pairs, 1):
        size = input.shape[-back]
        if size + before + after < 0 or -before > size or -after > size:
            raise ShapeError(
                f"pad: dimension {input.ndim - back} of input {tuple(input.shape)} would have "
                f"{before} + {size} + {after} = {before + size + after} elements"
            )
    return pairs[::-1]


def padded(input: Tensor, sides: Sides, value: float = 0.0, mode: str = "constant") -> Tensor:
    """The last len(sides) dimensions padded; the sizes are known to fit."""
    if mode == "constant":
        return _constant(input, sides, value)
    first = input.ndim - len(sides)
    for dim, (before, after) in enumerate(sides, first):
        extend = _wrapped if mode == "circular" else _extended
        input = extend(input, dim, before, after, mode)
    return input if any(map(any, sides)) else input.clone()


def _constant(input: Tensor, sides: Sides, value: float) -> Tensor:
    sizes = list(input.shape)
    into, taken = [slice(None)] * input.ndim, [slice(None)] * input.ndim
    for dim, (before, after) in enumerate(sides, input.ndim - len(sides)):
        size = sizes[dim]
        sizes[dim] += before + after
        into[dim] = slice(max(before, 0), sizes[dim] - max(after, 0))
        taken[dim] = slice(max(-before, 0), size - max(-after, 0))
    out = _core.full(sizes, value, dtype=input.dtype, device=input.device)
    if out.numel() > 0:
        out[tuple(into)] = input[tuple(taken)]
    return out


def _extended(input: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """One dimension with copies of its own elements at the ends."""
    size, left, right = input.shape[dim], max(before, 0), max(after, 0)
    least = _ENDS[mode][0](max(left, right))
    if size < least:
        raise ShapeError(
            f"pad: mode '{mode}' with ({before}, {after}) needs {least} elements in dimension "
            f"{dim}, input {tuple(input.shape)} has {size}"
        )
    ends = _ENDS[mode][1](input, dim, left, right)
    parts = [part for part in (ends[0], input, ends[1]) if part.shape[dim] > 0]
    out = _core.cat(parts, dim) if len(parts) > 1 else input
    return _shortened(out, dim, before, after)


def _wrapped(input: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """One dimension with the other end of what negative sizes leave of it."""
    rest = _shortened(input, dim, before, after)
    return _extended(rest, dim, max(before, 0), max(after, 0), mode)


def _shortened(input: Tensor, dim: int, before: int, after: int) -> Tensor:
    """Without the elements that negative sizes remove."""
    start = max(-before, 0)
    return input.narrow(dim, start, input.shape[dim] - start - max(-after, 0))


def _mirrored(input: Tensor, dim: int, left: int, right: int) -> tuple[Tensor, Tensor]:
    size = input.shape[dim]
    before = input.narrow(dim, 1, left) if left else input.narrow(dim, 0, 0)
    after = input.narrow(dim, size - 1 - right, right) if right else input.narrow(dim, 0, 0)
    return before.flip(dim), after.flip(dim)


def _edges(input: Tensor, dim: int, left: int, right: int) -> tuple[Tensor, Tensor]:
    sizes = [*input.shape]
    sizes[dim] = left
    before = input.narrow(dim, 0, 1).expand(sizes)
    sizes[dim] = right
    return before, input.narrow(dim, input.shape[dim] - 1, 1).expand(sizes)


def _other_ends(input: Tensor, dim: int, left: int, right: int) -> tuple[Tensor, Tensor]:
    return input.narrow(dim, input.shape[dim] - left, left), input.narrow(dim, 0, right)


# Mode: the size that a padding needs, and the tensors before and after.
_ENDS: dict[str, tuple[Callable[[int], int], Callable[..., tuple[Tensor, Tensor]]]] = {
    "reflect": (lambda width: width + 1, _mirrored),
    "replicate": (lambda width: 1, _edges),  # noqa: ARG005
    "circular": (lambda width: width, _other_ends),
}

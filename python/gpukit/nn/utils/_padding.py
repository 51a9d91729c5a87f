"""Sequences of several lengths as one tensor, filled up to the longest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, GpukitError, ShapeError

__all__ = ["pad_sequence", "unpad_sequence"]


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Fill sequences up to the longest one and stack them.

    Args:
        sequences: Tensors (L, *) whose lengths L may differ.
        batch_first: True gives (sequences, longest, *), False (longest, sequences, *).
        padding_value: What is filled in.
        padding_side: 'right' fills after the elements, 'left' before them.

    Raises:
        GpukitError: There are no sequences, or padding_side is neither 'right' nor 'left'.
        ShapeError: Their sizes after the first differ.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.tensor([1, 2, 3]), gpukit.tensor([4])
        >>> gpukit.nn.utils.rnn.pad_sequence([a, b], batch_first=True)
        tensor([[1, 2, 3],
                [4, 0, 0]])
    """
    parts = _sequences("pad_sequence", sequences)
    if padding_side not in {"left", "right"}:
        raise GpukitError(
            f"pad_sequence: padding_side must be 'left' or 'right', got {padding_side!r}"
        )
    value = number_of("pad_sequence", "padding_value", padding_value)
    trailing = tuple(parts[0].shape[1:])
    for i, part in enumerate(parts):
        if not part.ndim or tuple(part.shape[1:]) != trailing:
            raise ShapeError(
                f"pad_sequence: sequences[{i}] is {tuple(part.shape)} and sequences[0] is "
                f"{tuple(parts[0].shape)}; only the first sizes may differ"
            )
    longest = max(len(part) for part in parts)
    return _core.stack(
        [_filled(part, longest, value, padding_side) for part in parts], 0 if batch_first else 1
    )


def _sequences(function: str, given: Any) -> list[Tensor]:
    """One tensor's rows, or several tensors; at least one."""
    if isinstance(given, Tensor):
        given = given.unbind(0)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ArgumentError(
            f"{function}: sequences must be a list of tensors, got {given!r:.80} "
            f"({type(given).__name__})"
        )
    parts = [tensor_of(function, f"sequences[{i}]", part) for i, part in enumerate(given)]
    if not parts:
        raise GpukitError(f"{function}: sequences is empty; there must be one or more")
    return parts


def _filled(part: Tensor, longest: int, value: float, side: str) -> Tensor:
    missing = longest - len(part)
    if not missing:
        return part
    rest = _core.full(
        (missing, *part.shape[1:]),
        value if part.is_floating_point() else int(value),
        dtype=part.dtype,
        device=part.device,
    )
    return _core.cat([rest, part] if side == "left" else [part, rest])


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences of a padded tensor without what was filled in at their ends.

    Args:
        padded_sequences: (longest, sequences, *), or (sequences, longest, *) if batch_first.
            Unlike torch's function this one leaves it as it is.
        lengths: The length of each sequence; read, so a tensor on a GPU is waited for.
        batch_first: The order of the first two dimensions.

    Returns:
        Views, one for each sequence.

    Raises:
        ShapeError: There are more or fewer lengths than sequences.

    Example:
        >>> import gpukit
        >>> padded = gpukit.tensor([[1, 2, 3], [4, 0, 0]])
        >>> gpukit.nn.utils.rnn.unpad_sequence(padded, gpukit.tensor([3, 1]), batch_first=True)
        [tensor([1, 2, 3]), tensor([4])]
    """
    padded = tensor_of("unpad_sequence", "padded_sequences", padded_sequences)
    if padded.ndim < 2:
        raise ShapeError(
            "unpad_sequence: padded_sequences must have 2 dimensions or more, it is "
            f"{tuple(padded.shape)}"
        )
    counts = lengths_of("unpad_sequence", lengths)
    rows = padded.unbind(0 if batch_first else 1)
    if len(rows) != len(counts):
        raise ShapeError(
            f"unpad_sequence: padded_sequences {tuple(padded.shape)} has {len(rows)} sequences, "
            f"lengths has {len(counts)}"
        )
    return [row[: max(count, 0)] for row, count in zip(rows, counts, strict=True)]


def lengths_of(function: str, lengths: Any) -> list[int]:
    """The numbers of a 1-d tensor or of a list."""
    given = lengths.tolist() if hasattr(lengths, "tolist") else lengths
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"{function}: lengths must be a 1-d tensor or a list of ints, got {lengths!r:.80}"
        )
    return [int_of(function, f"lengths[{i}]", each) for i, each in enumerate(given)]

"""From padded sequences to packed ones and back."""

from __future__ import annotations

import itertools
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, GpukitError, ShapeError
from gpukit.nn.utils._packed_sequence import PackedSequence
from gpukit.nn.utils._padding import lengths_of, pad_sequence, unpad_sequence

__all__ = ["pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "unpack_sequence"]


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | list[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Join padded sequences step by step, without the padding.

    Args:
        input: (longest, sequences, *), or (sequences, longest, *) if batch_first.
        lengths: The length of each sequence; a tensor must be on the CPU.
        batch_first: The order of the first two dimensions of input.
        enforce_sorted: True asks for lengths in decreasing order, False sorts the sequences.

    Raises:
        GpukitError: lengths is on a GPU, has a number below 1, or is not sorted.
        ShapeError: The lengths do not fit input.

    Example:
        >>> import gpukit
        >>> padded = gpukit.tensor([[1, 2, 3], [4, 0, 0]])
        >>> gpukit.nn.utils.rnn.pack_padded_sequence(padded, [3, 1], batch_first=True).data
        tensor([1, 4, 2, 3])
    """
    name = "pack_padded_sequence"
    tensor_of(name, "input", input)
    if isinstance(lengths, Tensor) and lengths.is_cuda:
        raise GpukitError(
            f"{name}: lengths is on {lengths.device} and must be on the CPU. Use lengths.cpu().",
            fix="lengths.cpu()",
        )
    counts = lengths_of(name, lengths)
    _check_lengths(input, counts, batch_first)
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    places = None
    if not enforce_sorted:
        places = _core.tensor(order).to(input.device)
        input = input.index_select(0 if batch_first else 1, places)
        counts = [counts[i] for i in order]
    elif any(a < b for a, b in itertools.pairwise(counts)):
        raise GpukitError(
            f"{name}: lengths must be in decreasing order, got {counts}. "
            "Pass enforce_sorted=False.",
            fix="enforce_sorted=False",
        )
    sizes = (_core.arange(counts[0]).unsqueeze(1) < _core.tensor(counts)).sum(1)
    rows = _rows(sizes, len(counts), input.shape[1] if batch_first else None)
    data = input.flatten(0, 1).index_select(0, rows.to(input.device))
    return PackedSequence(data, sizes, places)


def _check_lengths(input: Tensor, counts: list[int], batch_first: bool) -> None:
    name, shape = "pack_padded_sequence", tuple(input.shape)
    if input.ndim < 2 or not input.numel():
        raise ShapeError(
            f"{name}: input must have elements and 2 dimensions or more, it is {shape}"
        )
    batch, longest = shape[:2] if batch_first else (shape[1], shape[0])
    order = "(sequences, longest, …)" if batch_first else "(longest, sequences, …)"
    if len(counts) != batch:
        raise ShapeError(
            f"{name}: input {shape} is {order} with {batch} sequences, lengths has {len(counts)}"
        )
    if min(counts) < 1:
        raise GpukitError(f"{name}: every length must be 1 or more, got {min(counts)}")
    if max(counts) > longest:
        raise ShapeError(
            f"{name}: lengths has {max(counts)}, but input {shape} is {order} with {longest} steps"
        )


def _rows(sizes: Tensor, batch: int, steps: int | None) -> Tensor:
    """The row of each packed element in (steps * batch); in (batch * steps) if steps is given."""
    has = _core.arange(batch) < sizes.unsqueeze(1)
    rows = has.flatten().nonzero().squeeze(1)
    return rows if steps is None else rows % batch * steps + rows // batch


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences in a padded tensor, and their lengths, in their first order.

    Args:
        sequence: What `pack_sequence` or a recurrent layer made.
        batch_first: True gives (sequences, steps, *), False (steps, sequences, *).
        padding_value: What is filled in.
        total_length: The number of steps of the result; None takes the longest sequence's.

    Returns:
        The padded tensor, and the lengths: int64, on the CPU.

    Raises:
        ValueError: total_length is less than the longest sequence.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils.rnn import pack_sequence, pad_packed_sequence
        >>> packed = pack_sequence([gpukit.tensor([1, 2, 3]), gpukit.tensor([4])])
        >>> pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2, 3],
                [4, 0, 0]]), tensor([3, 1]))
    """
    name = "pad_packed_sequence"
    data, sizes, _, places = packed_of(name, "sequence", sequence)
    value = number_of(name, "padding_value", padding_value)
    steps, batch = len(sizes), int(sizes[0].item())
    if total_length is not None:
        total = int_of(name, "total_length", total_length)
        if total < steps:
            raise ArgumentError(
                f"{name}: total_length is {total}, the longest sequence has {steps} steps"
            )
        steps = total
    shape = (batch, steps) if batch_first else (steps, batch)
    fill = value if data.is_floating_point() else int(value)
    padded = _core.full(
        (steps * batch, *data.shape[1:]), fill, dtype=data.dtype, device=data.device
    )
    rows = _rows(sizes, batch, steps if batch_first else None)
    padded[rows.to(data.device)] = data
    padded = padded.reshape(*shape, *data.shape[1:])
    lengths = (_core.arange(batch).unsqueeze(1) < sizes).sum(1)
    if places is None:
        return padded, lengths
    padded = padded.index_select(0 if batch_first else 1, places)
    return padded, lengths.index_select(0, places.cpu())


def packed_of(function: str, name: str, value: Any) -> PackedSequence:
    """A packed sequence."""
    if isinstance(value, PackedSequence):
        return value
    raise TypeError(
        f"{function}: {name} must be a PackedSequence, got {value!r:.80} ({type(value).__name__}). "
        "Use pack_sequence(…) first."
    )


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Join sequences of several lengths step by step.

    Args:
        sequences: Tensors (L, *) whose lengths L may differ.
        enforce_sorted: True asks for lengths in decreasing order, False sorts the sequences.

    Raises:
        GpukitError: There are no sequences, one is empty, or they are not sorted.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.tensor([1, 2, 3]), gpukit.tensor([4])
        >>> gpukit.nn.utils.rnn.pack_sequence([a, b]).batch_sizes
        tensor([2, 1, 1])
    """
    padded = pad_sequence(sequences)
    lengths = [len(each) for each in sequences]
    return pack_padded_sequence(padded, lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences that were packed, in their first order.

    Args:
        packed_sequences: What `pack_sequence` or a recurrent layer made.

    Raises:
        TypeError: It is not a PackedSequence.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils.rnn import pack_sequence, unpack_sequence
        >>> unpack_sequence(pack_sequence([gpukit.tensor([1, 2, 3]), gpukit.tensor([4])]))
        [tensor([1, 2, 3]), tensor([4])]
    """
    packed_of("unpack_sequence", "packed_sequences", packed_sequences)
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

"""Sequences of several lengths without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PackedSequence", "invert_permutation"]


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Fields):
    """Sequences of several lengths, joined step by step: what recurrent layers take.

    `pack_sequence` and `pack_padded_sequence` make it. The longest sequence comes first:
    `data` begins with the first elements of all sequences, then come the second ones of those
    that have one, and so on.

    Args:
        data: (sum of the lengths, *): the elements, ordered by step.
        batch_sizes: int64 on the CPU: the number of sequences that have each step.
        sorted_indices: The place of each packed sequence before they were sorted, or None.
        unsorted_indices: The inverse permutation; None computes it.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.utils.rnn import pack_sequence
        >>> packed = pack_sequence([gpukit.tensor([1, 2, 3]), gpukit.tensor([4, 5])])
        >>> packed.data, packed.batch_sizes
        (tensor([1, 4, 2, 5, 3]), tensor([2, 2, 1]))
        >>> packed.double().data.dtype
        gpukit.float64
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        """Make one of its parts; batch_sizes may stand beside data in a pair."""
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise TypeError(
                    "PackedSequence: batch_sizes is missing. Use pack_sequence or "
                    "pack_padded_sequence."
                )
            data, batch_sizes = data
        tensor_of("PackedSequence", "data", data)
        tensor_of("PackedSequence", "batch_sizes", batch_sizes)
        if batch_sizes.is_cuda:
            raise ArgumentError(
                f"PackedSequence: batch_sizes is on {batch_sizes.device} and must be on the CPU. "
                "Use batch_sizes.cpu().",
                fix="batch_sizes.cpu()",
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Return it with data of another dtype or on another device, as `Tensor.to` does.

        Args:
            *args: Arguments of `Tensor.to`.
            **kwargs: Keyword arguments of `Tensor.to`.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        rest = [None if i is None else i.to(data.device) for i in self[2:]]
        return type(self)(data, self.batch_sizes, *rest)

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """Return it on a GPU.

        Args:
            *args: Arguments of `Tensor.cuda`.
            **kwargs: Keyword arguments of `Tensor.cuda`.
        """
        return self.to(self.data.cuda(*args, **kwargs).device)

    def cpu(self) -> Self:
        """Return it on the CPU."""
        return self.to("cpu")

    def pin_memory(self) -> Self:
        """Return it in page-locked memory."""
        rest = [None if i is None else i.pin_memory() for i in self[2:]]
        return type(self)(self.data.pin_memory(), self.batch_sizes, *rest)

    def is_pinned(self) -> bool:
        """Return whether data is in page-locked memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether data is on a GPU."""
        return self.data.is_cuda

    def double(self) -> Self:
        """Return it with data in float64."""
        return self.to(_core.float64)

    def float(self) -> Self:
        """Return it with data in float32."""
        return self.to(_core.float32)

    def half(self) -> Self:
        """Return it with data in float16."""
        return self.to(_core.float16)

    def long(self) -> Self:
        """Return it with data in int64."""
        return self.to(_core.int64)

    def int(self) -> Self:
        """Return it with data in int32."""
        return self.to(_core.int32)

    def short(self) -> Self:
        """Return it with data in int16."""
        return self.to(_core.int16)

    def char(self) -> Self:
        """Return it with data in int8."""
        return self.to(_core.int8)

    def byte(self) -> Self:
        """Return it with data in uint8."""
        return self.to(_core.uint8)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes another: result[permutation[i]] = i.

    Args:
        permutation: The numbers from 0 to n - 1 in any order, int64; None is returned.

    Raises:
        ShapeError: permutation is not 1-d.

    Example:
        >>> import gpukit
        >>> gpukit.nn.utils.rnn.invert_permutation(gpukit.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    tensor_of("invert_permutation", "permutation", permutation)
    if permutation.ndim != 1:
        raise ShapeError(
            f"invert_permutation: permutation must be 1-d, it is {tuple(permutation.shape)}"
        )
    places = _core.arange(len(permutation), device=permutation.device)
    return _core.empty_like(permutation).scatter(0, permutation, places)

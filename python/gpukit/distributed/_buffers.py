"""Tensors as MPI's buffers: contiguous bytes of the host, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpukit import _core
from gpukit._dtypes import HALF, by_kind
from gpukit.errors import ArgumentError, DistributedError, DTypeError

Tensor = _core.Tensor

# MPI's names by gpukit's.
_NUMBERS = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    **{
        f"{sign}int{bits}": f"{sign.upper()}INT{bits}_T"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
}
_IS_BOOL = by_kind(bool=True, integer=False, floating=False, complex=False)
_IS_FLOATING = by_kind(bool=False, integer=False, floating=True, complex=True)


class ReduceOp:
    """How elements of several ranks become one: SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.ReduceOp.SUM
        'sum'
    """

    SUM = "sum"
    AVG = "avg"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"
    BAND = "band"
    BOR = "bor"
    BXOR = "bxor"


_OPS = {
    "sum": "SUM",
    "avg": "SUM",
    "product": "PROD",
    "min": "MIN",
    "max": "MAX",
    "band": "BAND",
    "bor": "BOR",
    "bxor": "BXOR",
}
_OF_BITS = {"band", "bor", "bxor"}


def check_op(name: str, op: Any, dtype: _core.dtype) -> str:
    """The operation's name, where the dtype has it."""
    if op not in _OPS:
        raise ArgumentError(f"{name}: op is {op!r}; use ReduceOp.{', '.join(map(str.upper, _OPS))}")
    if op in _OF_BITS and _IS_FLOATING[dtype]:
        raise DTypeError(f"{name}: {op} of {dtype.name}. Only whole numbers and bools have bits")
    if op == "avg" and not _IS_FLOATING[dtype]:
        raise DTypeError(f"{name}: avg of {dtype.name} has no whole result. Use ReduceOp.SUM")
    if _IS_BOOL[dtype] and op not in {"min", "max", *_OF_BITS}:
        raise DTypeError(
            f"{name}: {op} of bool. Use ReduceOp.MAX (or), ReduceOp.MIN (and), or .int()"
        )
    return str(op)


def mpi_op(mpi: Any, op: str) -> Any:
    """MPI's operation."""
    return getattr(mpi, _OPS[op])


def check_tensor(name: str, argument: str, tensor: Any) -> Tensor:
    """The tensor, or TypeError."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name}: {argument} must be a gpukit.Tensor, got {type(tensor).__name__}")
    return tensor.detach()


def describe(tensor: Tensor) -> str:
    """What ranks compare of it."""
    return f"{tensor.dtype.name} {tuple(tensor.shape)}"


def packed(tensor: Tensor) -> Tensor:
    """The elements, contiguous and on the host: the tensor itself where it is so already."""
    return tensor.cpu().contiguous()


def is_direct(tensor: Tensor) -> bool:
    """Whether MPI can read and write the tensor's own memory."""
    return tensor.is_cpu and tensor.is_contiguous()


def as_bytes(tensor: Tensor) -> Tensor:
    """The bytes of a contiguous host tensor."""
    first = tensor.storage_offset() * tensor.itemsize
    return _core.storage_view(tensor, _core.uint8, (tensor.nbytes,), (1,), first)


def _memory(name: str, tensor: Tensor, *, written: bool) -> memoryview:
    buffer: Any = as_bytes(tensor)
    view = memoryview(buffer)
    if written and view.readonly:
        raise ArgumentError(f"{name}: the tensor is in read-only memory. Use X.clone() first")
    if written:
        _core.increment_version(tensor)
    return view


def byte_buffer(mpi: Any, name: str, tensor: Tensor, *, written: bool = False) -> list[Any]:
    """The tensor for operations that only move."""
    # Without a count: mpi4py divides the buffer by the number of ranks where that is intended.
    return [_memory(name, tensor, written=written), mpi.BYTE]


# MPICH adds arrays of this size about four times as fast as ten times larger ones, which leave the
# cache and for which it allocates room.
_PIECE = 2 << 20  # bytes


def number_pieces(mpi: Any, name: str, tensor: Tensor, *, written: bool) -> Iterator[list[Any]]:
    """The tensor in pieces, each for a separate operation."""
    view, kind = number_buffer(mpi, name, tensor, written=written)
    for start in range(0, max(len(view), 1), _PIECE):
        yield [view[start : start + _PIECE], kind]


def number_buffer(mpi: Any, name: str, tensor: Tensor, *, written: bool = False) -> list[Any]:
    """The tensor for operations that compute."""
    view = _memory(name, tensor, written=written)
    kind = "UINT8_T" if _IS_BOOL[tensor.dtype] else _NUMBERS.get(tensor.dtype.name)
    if kind is None:
        raise DistributedError(f"{name}: MPI has no {tensor.dtype.name}")
    return [view, getattr(mpi, kind)]


def is_widened(tensor: Tensor) -> bool:
    """Whether MPI computes it in float32: it has no half types."""
    return tensor.dtype in HALF

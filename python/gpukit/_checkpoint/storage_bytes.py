"""The bytes of a tensor's storage, out to a file and back in, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gpukit import _core

CHUNK = 16 << 20  # bytes of a GPU that pass through host memory at a time
CACHED = 2 << 20  # bytes of host memory that stay in the cache between two steps over them


def flat_bytes(tensor: _core.Tensor) -> _core.Tensor:
    """The whole storage behind the tensor as uint8."""
    _, size = _core.storage_info(tensor)
    return _core.storage_view(tensor, _core.uint8, (size,), (1,), 0)


def memory_of(tensor: _core.Tensor) -> memoryview:
    """The memory of a CPU tensor."""
    buffer: Any = tensor  # that it has the buffer protocol cannot be said before Python 3.12
    return memoryview(buffer)


def chunks(storage: _core.Tensor) -> Iterator[memoryview]:
    """The bytes of a flat uint8 tensor, in order. Only CHUNK bytes of a GPU are on the host."""
    size = CACHED if storage.is_cpu else CHUNK
    for start in range(0, storage.numel(), size):
        yield memory_of(storage[start : start + size].cpu())


def row_chunks(tensor: _core.Tensor) -> Iterator[memoryview]:
    """The elements of any tensor, row by row, as bytes."""
    if tensor.is_contiguous():
        first = tensor.storage_offset() * tensor.itemsize
        yield from chunks(flat_bytes(tensor)[first : first + tensor.nbytes])
    elif tensor.nbytes <= CHUNK:
        packed = tensor.contiguous()
        yield from chunks(flat_bytes(packed)[: packed.nbytes])
    else:
        for row in tensor:
            yield from row_chunks(row)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides, in elements, of a tensor without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def seen_as(
    base: _core.Tensor, dtype: _core.dtype, shape: Sequence[int], first_byte: int = 0
) -> _core.Tensor:
    """A contiguous tensor over bytes of a flat uint8 tensor; copied where they are not aligned."""
    strides = contiguous_strides(shape)
    if first_byte % dtype.itemsize == 0 and is_aligned(base, dtype):
        offset = first_byte // dtype.itemsize
        return _core.storage_view(base, dtype, tuple(shape), strides, offset)
    count = dtype.itemsize
    for size in shape:
        count *= size
    copied = base[first_byte : first_byte + count].clone()
    return _core.storage_view(copied, dtype, tuple(shape), strides, 0)


def is_aligned(base: _core.Tensor, dtype: _core.dtype) -> bool:
    """True when the storage of a flat tensor starts on a whole element of `dtype`."""
    return base.numel() == 0 or base.data_ptr() % dtype.itemsize == 0


def shared(buffer: Any) -> _core.Tensor:
    """A flat uint8 CPU tensor over a writable buffer, which it keeps alive."""
    return _core.as_tensor(buffer) if len(buffer) else _core.empty(0, dtype=_core.uint8)

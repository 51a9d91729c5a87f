"""What an operation of all ranks is made of: its run, its root, its lists and buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._system.nccl_library import OPS, TYPES
from gpukit.distributed._buffers import (
    check_tensor,
    describe,
    is_widened,
    packed,
)
from gpukit.distributed._channel import Channel
from gpukit.distributed._groups import ProcessGroup
from gpukit.distributed._nccl import Communicators
from gpukit.distributed._work import Work, done
from gpukit.errors import ArgumentError, ShapeError

Tensor = _core.Tensor


def perform(
    group: ProcessGroup,
    description: str,
    transfer: Callable[[Channel], None],
    async_op: bool,
    *tensors: Tensor,
) -> Work | None:
    """An operation on this rank's tensors: now, or in the group's thread."""
    if group.channel is None or group.rank() < 0:
        return done(description) if async_op else None
    channel = group.channel
    if async_op:
        first = tensors[0] if tensors else None
        call = in_stream_of(first, lambda: transfer(channel), channel)
        return channel.begin(description, call, tensors)
    channel.run(description, lambda: transfer(channel), tensors)
    return None


def by_nccl(channel: Channel, tensor: Tensor, op: str = "sum") -> Communicators | None:
    """NCCL, where it carries an operation on this tensor; MPI carries the others."""
    nccl = channel.nccl
    return nccl if tensor.is_cuda and tensor.dtype.name in TYPES and op in OPS else None


def in_stream_of(
    tensor: Tensor | None, call: Callable[[], None], channel: Channel | None = None
) -> Callable[[], None]:
    """A call for another thread, after what this one has queued for the tensor.

    NCCL has a stream of its own, beside which the caller's goes on; with MPI it is the caller's.
    """
    if tensor is None or tensor.is_cpu:
        return call
    caller = _core.current_stream(tensor.device)
    nccl = None if channel is None else channel.nccl
    own = None if nccl is None else nccl.stream_behind(tensor)

    def run() -> None:
        stream = caller if own is None else own()
        before = _core.current_stream(stream.device)
        _core.set_stream(stream)
        try:
            call()
            if own is not None:  # copies that followed NCCL's part
                stream.synchronize()
        finally:
            _core.set_stream(before)

    return run


def root_of(name: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The number in the group of the rank that src or dst names; 0 where none is named."""
    if group_rank is not None:
        if rank is not None or not 0 <= group_rank < group.size():
            raise ArgumentError(
                f"{name}: the group's rank is {group_rank} of {group.size()}, the job's {rank}. "
                "Give one of them"
            )
        return int(group_rank)
    wanted = 0 if rank is None else int(rank)
    if wanted not in group.ranks:
        raise ArgumentError(f"{name}: rank {wanted} is not in the group of {list(group.ranks)}")
    return group.ranks.index(wanted)


def on_host(tensor: Tensor) -> Tensor:
    """What MPI reads and writes: half types as float32, as it has none."""
    return packed(tensor).float() if is_widened(tensor) else packed(tensor)


def store(tensor: Tensor, host: Tensor) -> None:
    """Copy back what MPI wrote, where it did not write into the tensor itself."""
    if host.data_ptr() != tensor.data_ptr():
        tensor.copy_(host.to(tensor.dtype))


def check_whole(name: str, group: ProcessGroup, *, whole: Tensor, part: Tensor) -> None:
    """One tensor must hold the parts of all ranks."""
    if whole.numel() != part.numel() * group.size() or whole.dtype is not part.dtype:
        raise ShapeError(
            f"{name}: {group.size()} ranks with {describe(part)} make "
            f"{part.numel() * group.size()} elements, but the whole is {describe(whole)}"
        )


def one_a_rank(name: str, argument: str, tensors: Any, count: int) -> list[Tensor]:
    """A list of one tensor per rank."""
    parts = [check_tensor(name, f"{argument}[{i}]", each) for i, each in enumerate(tensors)]
    if len(parts) != count:
        raise ArgumentError(f"{name}: {argument} has {len(parts)} tensors for {count} ranks")
    return parts


def listed(name: str, argument: str, tensors: Any, count: int, like: Tensor) -> list[Tensor]:
    """A list of one tensor per rank, all like one."""
    parts = one_a_rank(name, argument, tensors, count)
    for i, part in enumerate(parts):
        if part.shape != like.shape or part.dtype is not like.dtype:
            raise ShapeError(
                f"{name}: {argument}[{i}] is {describe(part)}, the tensor is {describe(like)}"
            )
    return parts


def empty_rows(like: Tensor, count: int, device: _core.device | str = "cpu") -> Tensor:
    """Uninitialised memory for one tensor per rank."""
    return _core.empty((count, *like.shape), dtype=like.dtype, device=device)

"""Operations of all ranks that hand tensors over, with torch's names and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit.distributed._buffers import (
    byte_buffer,
    check_tensor,
    describe,
    is_direct,
    packed,
)
from gpukit.distributed._channel import Channel
from gpukit.distributed._groups import ProcessGroup, group_of, seconds_of
from gpukit.distributed._operation import (
    by_nccl,
    check_whole,
    empty_rows,
    listed,
    one_a_rank,
    perform,
    root_of,
    store,
)
from gpukit.distributed._work import Work
from gpukit.errors import ArgumentError, DistributedError, ShapeError

Tensor = _core.Tensor


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give every rank the elements that rank `src` has.

    Args:
        tensor: what is sent from src, and what receives it elsewhere.
        src: the job's number of the rank that sends.
        group: the ranks; None means all.
        async_op: return immediately.
        group_src: its number in the group, in place of src.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ArgumentError: src is not in the group, or the tensor is read-only.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.broadcast(gpukit.ones(2), src=0)
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("broadcast", "tensor", tensor)
    root = root_of("broadcast", found, src, group_src)

    def transfer(channel: Channel) -> None:
        if (nccl := by_nccl(channel, x)) is not None:
            whole = x.contiguous()
            nccl.call("ncclBroadcast", whole, whole, root)
            if channel.rank != root:
                store(x, whole)
            return
        host = packed(x)
        written = channel.rank != root
        channel.data.Bcast(byte_buffer(channel.mpi, "broadcast", host, written=written), root)
        if written:
            store(x, host)

    return perform(found, f"broadcast(src={root}) of {describe(x)}", transfer, async_op, x)


def all_gather(
    tensor_list: Sequence[Tensor],
    tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Collect all ranks' tensors on every rank.

    Args:
        tensor_list: one tensor per rank, which receive them.
        tensor: this rank's, of one shape and dtype on all.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ShapeError: a tensor of the list is of another shape or dtype.
        ArgumentError: the list is not as long as the group.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> parts = [gpukit.zeros(2) for _ in range(dist.get_world_size())]
        >>> dist.all_gather(parts, gpukit.ones(2))
        >>> parts[dist.get_rank()]
        tensor([1., 1.])
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("all_gather", "tensor", tensor)
    if found.rank() < 0:
        return None
    parts = listed("all_gather", "tensor_list", tensor_list, found.size(), x)
    if found.channel is None:
        parts[0].copy_(x)

    def transfer(channel: Channel) -> None:
        if (nccl := by_nccl(channel, x)) is not None:
            flat = empty_rows(x, channel.size, x.device)
            nccl.call("ncclAllGather", x.contiguous(), flat)
        else:
            flat = empty_rows(x, channel.size)
            mpi = channel.mpi
            sent = byte_buffer(mpi, "all_gather", packed(x))
            channel.data.Allgather(sent, byte_buffer(mpi, "all_gather", flat, written=True))
        for part, row in zip(parts, flat, strict=True):
            part.copy_(row)

    return perform(found, f"all_gather of {describe(x)}", transfer, async_op, x)


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Collect all ranks' tensors in one, one after the other along dimension 0, or stacked.

    Args:
        output_tensor: receives all ranks' elements; its size is their sum.
        input_tensor: this rank's, of one shape and dtype on all.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ShapeError: output_tensor has another number of elements.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> out = gpukit.zeros(2 * dist.get_world_size())
        >>> dist.all_gather_into_tensor(out, gpukit.ones(2))
        >>> dist.destroy_process_group()
    """
    name = "all_gather_into_tensor"
    found, x = group_of(group), check_tensor(name, "input_tensor", input_tensor)
    out = check_tensor(name, "output_tensor", output_tensor)
    check_whole(name, found, whole=out, part=x)
    if found.channel is None and found.rank() >= 0:
        out.copy_(x.reshape(out.shape))

    def transfer(channel: Channel) -> None:
        if (nccl := by_nccl(channel, x)) is not None:
            whole = out.to(x.device).contiguous()
            nccl.call("ncclAllGather", x.contiguous(), whole)
            store(out, whole)
            return
        host = out if is_direct(out) else _core.empty(tuple(out.shape), dtype=out.dtype)
        mpi = channel.mpi
        received = byte_buffer(mpi, name, host, written=True)
        channel.data.Allgather(byte_buffer(mpi, name, packed(x)), received)
        store(out, host)

    return perform(found, f"{name} of {describe(x)}", transfer, async_op, x)


def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Collect all ranks' tensors on rank `dst`.

    Args:
        tensor: this rank's, of one shape and dtype on all.
        gather_list: on dst one tensor per rank, elsewhere None.
        dst: the job's number of the rank that receives.
        group: the ranks; None means all.
        async_op: return immediately.
        group_dst: its number in the group, in place of dst.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ArgumentError: gather_list is missing on dst, or given elsewhere.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.gather(gpukit.ones(2), [gpukit.zeros(2)], dst=0)
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("gather", "tensor", tensor)
    root = root_of("gather", found, dst, group_dst)
    parts = _root_list("gather", "gather_list", gather_list, found, root, x)
    if found.channel is None and parts:
        parts[0].copy_(x)

    def transfer(channel: Channel) -> None:
        mpi = channel.mpi
        flat = empty_rows(x, channel.size) if parts else None
        received = None if flat is None else byte_buffer(mpi, "gather", flat, written=True)
        channel.data.Gather(byte_buffer(mpi, "gather", packed(x)), received, root)
        for part, row in zip(parts, flat if flat is not None else (), strict=True):
            part.copy_(row)

    return perform(found, f"gather(dst={root}) of {describe(x)}", transfer, async_op, x)


def _root_list(
    name: str, argument: str, given: Any, group: ProcessGroup, root: int, like: Tensor
) -> list[Tensor]:
    """The list on the rank that has it, which the others must not pass."""
    if group.rank() != root:
        if given:
            raise ArgumentError(f"{name}: {argument} is only for rank {group.ranks[root]}")
        return []
    if given is None:
        raise ArgumentError(f"{name}: rank {group.ranks[root]} must pass {argument}")
    return listed(name, argument, given, group.size(), like)


def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give each rank one tensor of a list that rank `src` has.

    Args:
        tensor: what receives this rank's.
        scatter_list: on src one tensor per rank, elsewhere None.
        src: the job's number of the rank that sends.
        group: the ranks; None means all.
        async_op: return immediately.
        group_src: its number in the group, in place of src.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ArgumentError: scatter_list is missing on src, or given elsewhere.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> x = gpukit.zeros(2)
        >>> dist.scatter(x, [gpukit.ones(2)], src=0)
        >>> x
        tensor([1., 1.])
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("scatter", "tensor", tensor)
    root = root_of("scatter", found, src, group_src)
    parts = _root_list("scatter", "scatter_list", scatter_list, found, root, x)
    if found.channel is None and parts:
        x.copy_(parts[0])

    def transfer(channel: Channel) -> None:
        mpi = channel.mpi
        flat = packed(_core.stack(parts)) if parts else None
        host = packed(x)
        sent = None if flat is None else byte_buffer(mpi, "scatter", flat)
        channel.data.Scatter(sent, byte_buffer(mpi, "scatter", host, written=True), root)
        store(x, host)

    return perform(found, f"scatter(src={root}) of {describe(x)}", transfer, async_op, x)


def all_to_all_single(
    output: Tensor, input: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Send the i-th equal part of `input` to rank i, and receive one from each rank.

    Args:
        output: of input's size and dtype; it receives the parts in the order of the ranks.
        input: of a size that the ranks divide.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        ShapeError: the sizes differ, or the ranks do not divide them.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> out = gpukit.zeros(dist.get_world_size())
        >>> dist.all_to_all_single(out, gpukit.ones(dist.get_world_size()))
        >>> dist.destroy_process_group()
    """
    name = "all_to_all_single"
    found, x = group_of(group), check_tensor(name, "input", input)
    out = check_tensor(name, "output", output)
    if out.numel() != x.numel() or out.dtype is not x.dtype or x.numel() % found.size():
        raise ShapeError(
            f"{name}: output is {describe(out)}, input {describe(x)}; both must have the same "
            f"dtype and a number of elements that {found.size()} ranks divide"
        )
    if found.channel is None and found.rank() >= 0:
        out.copy_(x.reshape(out.shape))

    def transfer(channel: Channel) -> None:
        mpi = channel.mpi
        host = out if is_direct(out) else _core.empty(tuple(out.shape), dtype=out.dtype)
        received = byte_buffer(mpi, name, host, written=True)
        channel.data.Alltoall(byte_buffer(mpi, name, packed(x)), received)
        store(out, host)

    return perform(found, f"{name} of {describe(x)}", transfer, async_op, x)


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Send the i-th tensor of a list to rank i, and receive one from each rank.

    Args:
        output_tensor_list: one tensor per rank; the i-th receives what rank i sends here.
        input_tensor_list: one tensor per rank, of one dtype; their shapes may differ.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: a tensor that is sent has another number of elements than the one that
            receives it, on any rank; the ranks differ in what they call, or one has left.
        ArgumentError: a list is not as long as the group.
        ShapeError: the dtypes differ.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> parts = [gpukit.ones(i + 1) for i in range(dist.get_world_size())]
        >>> dist.all_to_all([gpukit.zeros(dist.get_rank() + 1) for _ in parts], parts)
        >>> dist.destroy_process_group()
    """
    name, found = "all_to_all", group_of(group)
    if found.rank() < 0:
        return None
    xs = _of_one_dtype(name, "input_tensor_list", input_tensor_list, found.size())
    outs = _of_one_dtype(name, "output_tensor_list", output_tensor_list, found.size())
    dtype = xs[0].dtype
    if dtype is not outs[0].dtype:
        raise ShapeError(f"{name}: sends {dtype.name}, receives {outs[0].dtype.name}")
    if found.channel is None:
        outs[0].copy_(xs[0].reshape(outs[0].shape))

    def transfer(channel: Channel) -> None:
        sizes = [each.nbytes for each in xs], [each.nbytes for each in outs]
        _check_fit(channel, name, *sizes)
        mpi = channel.mpi
        flat = _core.cat([packed(each).reshape(-1) for each in xs])
        received = _core.empty((sum(each.numel() for each in outs),), dtype=dtype)
        (sent,), (got,) = (
            byte_buffer(mpi, name, each, written=each is received)[:1] for each in (flat, received)
        )
        channel.data.Alltoallv([sent, sizes[0], mpi.BYTE], [got, sizes[1], mpi.BYTE])
        parts = _core.split(received, [each.numel() for each in outs])
        for out, part in zip(outs, parts, strict=True):
            out.copy_(part.reshape(out.shape))

    return perform(found, f"{name} of {dtype.name}", transfer, async_op, xs[0])


def _of_one_dtype(name: str, argument: str, tensors: Any, count: int) -> list[Tensor]:
    parts = one_a_rank(name, argument, tensors, count)
    for i, part in enumerate(parts):
        if part.dtype is not parts[0].dtype:
            raise ShapeError(
                f"{name}: {argument}[{i}] is {describe(part)}, {argument}[0] is "
                f"{describe(parts[0])}. Use one dtype"
            )
    return parts


def _check_fit(channel: Channel, name: str, sent: list[int], received: list[int]) -> None:
    """What each rank sends must be what its receiver has room for, or every rank raises."""
    mpi = channel.mpi
    told, room = _core.tensor(sent, dtype=_core.int64), _core.zeros(len(sent), dtype=_core.int64)
    channel.data.Alltoall(byte_buffer(mpi, name, told), byte_buffer(mpi, name, room, written=True))
    coming = room.tolist()
    wrong = _core.tensor([int(coming != received)], dtype=_core.uint8)
    faults = _core.zeros(len(sent), dtype=_core.uint8)
    verdicts = byte_buffer(mpi, name, faults, written=True)
    channel.data.Allgather(byte_buffer(mpi, name, wrong), verdicts)
    ranks = [rank for rank, flag in zip(channel.ranks, faults.tolist(), strict=True) if flag]
    if ranks:
        raise DistributedError(
            f"{name}: rank {', '.join(map(str, ranks))} has output tensors of other sizes than "
            f"what is sent there. This rank is sent {coming} bytes and has room for {received}",
            details={"ranks": ranks},
        )


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: Any = None, wait_all_ranks: bool = False
) -> None:
    """Wait until every rank has come here; where one does not, name it on all ranks that came.

    Args:
        group: the ranks; None means all.
        timeout: seconds, or a timedelta; None is that of init_process_group.
        wait_all_ranks: name all missing ranks, not the first.

    Raises:
        DistributedError: a rank did not come in time; the group cannot be used any more.
        ArgumentError: timeout is not positive.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.monitored_barrier(timeout=5)
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    seconds = None if timeout is None else seconds_of("monitored_barrier", timeout)
    if found.channel is not None and found.rank() >= 0:
        limit = found.channel.timeout if seconds is None else seconds
        found.channel.monitored(limit, lists_all=wait_all_ranks)


def barrier(group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Wait until every rank has come here.

    Args:
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.barrier()
        >>> dist.destroy_process_group()
    """

    def transfer(channel: Channel) -> None:
        """The agreement is the barrier."""

    return perform(group_of(group), "barrier()", transfer, async_op)

"""Operations of all ranks that add, multiply or compare, with torch's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpukit import _core
from gpukit._system.nccl_library import OPS
from gpukit.distributed._buffers import (
    ReduceOp,
    check_op,
    check_tensor,
    describe,
    mpi_op,
    number_buffer,
    number_pieces,
)
from gpukit.distributed._channel import Channel
from gpukit.distributed._groups import ProcessGroup, group_of
from gpukit.distributed._operation import (
    by_nccl,
    check_whole,
    listed,
    on_host,
    perform,
    root_of,
    store,
)
from gpukit.distributed._work import Work

Tensor = _core.Tensor


def _scale(host: Tensor, op: str, size: int) -> None:
    if op == "avg":
        host.div_(size)


def all_reduce(
    tensor: Tensor,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Replace the tensor on every rank by the sum, or another `op`, of all ranks' tensors.

    Half types are added in float32 and rounded once. With MPI a tensor on a GPU passes through the
    CPU; NCCL leaves it there, and rounds half types after each addition.

    Args:
        tensor: of one shape and dtype on all ranks; it receives the result.
        op: one of ReduceOp.
        group: the ranks; None means all.
        async_op: return immediately; the result is ready after `wait()`.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        DTypeError: the dtype has no such op.
        ArgumentError: op is unknown, or the tensor is read-only.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> x = gpukit.ones(2)
        >>> dist.all_reduce(x)
        >>> x  # with n ranks: n
        tensor([1., 1.])
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("all_reduce", "tensor", tensor)
    kind = check_op("all_reduce", op, x.dtype)

    description = f"all_reduce({kind}) of {describe(x)}"

    def transfer(channel: Channel) -> None:
        _reduce_on_all(channel, x, kind, description)

    return perform(found, description, transfer, async_op, x)


def _reduce_on_all(channel: Channel, x: Tensor, kind: str, description: str) -> None:
    if (nccl := by_nccl(channel, x, kind)) is not None:
        whole = x.contiguous()
        nccl.call("ncclAllReduce", whole, whole, OPS[kind])
        store(x, whole)
        return
    host, mpi = on_host(x), channel.mpi
    for piece in number_pieces(mpi, "all_reduce", host, written=True):
        if channel.polls:
            request = channel.data.Iallreduce(mpi.IN_PLACE, piece, mpi_op(mpi, kind))
            channel.finish_transfer(request, description)
        else:
            channel.data.Allreduce(mpi.IN_PLACE, piece, mpi_op(mpi, kind))
    _scale(host, kind, channel.size)
    store(x, host)


def average_each(tensors: Sequence[Tensor], group: ProcessGroup, async_op: bool) -> Work | None:
    """The mean of each of several tensors of one dtype and device, as one operation.

    They need not lie together in memory; their sizes are the same on all ranks.
    """
    count = sum(each.numel() for each in tensors)
    description = f"all_reduce(avg) of {tensors[0].dtype.name} ({count},) in {len(tensors)}"

    def transfer(channel: Channel) -> None:
        for each in tensors:
            _reduce_on_all(channel, each, ReduceOp.AVG, description)

    return perform(group, description, transfer, async_op, *tensors)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """As all_reduce, but only rank `dst` receives the result; the others' tensors stay.

    Args:
        tensor: of one shape and dtype on all ranks.
        dst: the job's number of the rank that receives.
        op: one of ReduceOp.
        group: the ranks; None means all.
        async_op: return immediately.
        group_dst: its number in the group, in place of dst.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        DTypeError: the dtype has no such op.
        ArgumentError: op or dst is none.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.reduce(gpukit.ones(2), dst=0)
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("reduce", "tensor", tensor)
    kind = check_op("reduce", op, x.dtype)
    root = root_of("reduce", found, dst, group_dst)

    def transfer(channel: Channel) -> None:
        here = channel.rank == root
        if (nccl := by_nccl(channel, x, kind)) is not None:
            whole = x.contiguous()
            nccl.call("ncclReduce", whole, whole if here else None, OPS[kind], root)
            if here:
                store(x, whole)
            return
        host, mpi = on_host(x), channel.mpi
        buffer = number_buffer(mpi, "reduce", host, written=here)
        target = buffer if here else None
        channel.data.Reduce(mpi.IN_PLACE if here else buffer, target, mpi_op(mpi, kind), root)
        if here:
            _scale(host, kind, channel.size)
            store(x, host)

    return perform(found, f"reduce({kind}, dst={root}) of {describe(x)}", transfer, async_op, x)


def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Add up all ranks' lists, element by element; rank i receives the i-th sum.

    Args:
        output: what receives this rank's sum.
        input_list: one tensor per rank.
        op: one of ReduceOp.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        DTypeError: the dtype has no such op.
        ArgumentError: the list is not as long as the group.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> out = gpukit.zeros(2)
        >>> dist.reduce_scatter(out, [gpukit.ones(2)])
        >>> dist.destroy_process_group()
    """
    found, x = group_of(group), check_tensor("reduce_scatter", "output", output)
    kind = check_op("reduce_scatter", op, x.dtype)
    if found.rank() < 0:
        return None
    parts = listed("reduce_scatter", "input_list", input_list, found.size(), x)
    return _reduce_scattered(found, x, lambda: _core.stack(parts), kind, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Sum all ranks' tensors and give each rank its part, in rank order.

    Args:
        output: what receives this rank's part.
        input: its size is the sum of all parts.
        op: one of ReduceOp.
        group: the ranks; None means all.
        async_op: return immediately.

    Returns:
        Work with async_op, else None.

    Raises:
        DistributedError: the ranks differ in what they call, or one has left.
        DTypeError: the dtype has no such op.
        ShapeError: input has another number of elements.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> out = gpukit.zeros(2)
        >>> dist.reduce_scatter_tensor(out, gpukit.ones(2 * dist.get_world_size()))
        >>> dist.destroy_process_group()
    """
    name = "reduce_scatter_tensor"
    found, x = group_of(group), check_tensor(name, "output", output)
    whole = check_tensor(name, "input", input)
    kind = check_op(name, op, x.dtype)
    check_whole(name, found, whole=whole, part=x)
    return _reduce_scattered(found, x, lambda: whole, kind, async_op)


def _reduce_scattered(
    group: ProcessGroup, x: Tensor, whole: Callable[[], Tensor], kind: str, async_op: bool
) -> Work | None:
    name = "reduce_scatter"
    if group.channel is None and group.rank() >= 0:
        x.copy_(whole().reshape(x.shape))

    def transfer(channel: Channel) -> None:
        if (nccl := by_nccl(channel, x, kind)) is not None:
            own = x.contiguous()
            nccl.call("ncclReduceScatter", whole().to(x.device).contiguous(), own, OPS[kind])
            store(x, own)
            return
        mpi, sent = channel.mpi, on_host(whole())
        host = _core.empty(tuple(x.shape), dtype=sent.dtype)
        received = number_buffer(mpi, name, host, written=True)
        channel.data.Reduce_scatter_block(
            number_buffer(mpi, name, sent), received, mpi_op(mpi, kind)
        )
        _scale(host, kind, channel.size)
        store(x, host)

    return perform(group, f"{name}({kind}) of {describe(x)}", transfer, async_op, x)

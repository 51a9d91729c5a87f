"""Operations of all ranks of a group, with torch's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit.distributed._buffers import (
    ReduceOp,
    byte_buffer,
    check_op,
    check_tensor,
    describe,
    is_direct,
    is_widened,
    mpi_op,
    number_buffer,
    number_pieces,
    packed,
)
from gpukit.distributed._channel import Channel
from gpukit.distributed._groups import ProcessGroup, group_of
from gpukit.distributed._work import Work, done
from gpukit.errors import ArgumentError, ShapeError

Tensor = _core.Tensor


def _perform(
    group: ProcessGroup, description: str, transfer: Callable[[Channel], None], async_op: bool
) -> Work | None:
    """Now, or in the group's thread."""
    if group.channel is None or group.rank() < 0:
        return done(description) if async_op else None
    channel = group.channel
    if async_op:
        return channel.begin(description, lambda: transfer(channel))
    channel.run(description, lambda: transfer(channel))
    return None


def _place(name: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
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


def _host(tensor: Tensor) -> Tensor:
    """What MPI reads and writes: half types as float32, as it has none."""
    return packed(tensor).float() if is_widened(tensor) else packed(tensor)


def _store(tensor: Tensor, host: Tensor) -> None:
    if host.data_ptr() != tensor.data_ptr():
        tensor.copy_(host.to(tensor.dtype))


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

    Half types are added in float32 and rounded once. A tensor on a GPU passes through the CPU.

    Args:
        tensor: of one shape and dtype on all ranks; it receives the result.
        op: one of ReduceOp.
        group: the ranks; None is all.
        async_op: return at once; the result is there after `wait()`.

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

    def transfer(channel: Channel) -> None:
        host, mpi = _host(x), channel.mpi
        for piece in number_pieces(mpi, "all_reduce", host, written=True):
            channel.data.Allreduce(mpi.IN_PLACE, piece, mpi_op(mpi, kind))
        _scale(host, kind, channel.size)
        _store(x, host)

    return _perform(found, f"all_reduce({kind}) of {describe(x)}", transfer, async_op)


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
        group: the ranks; None is all.
        async_op: return at once.
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
    root = _place("reduce", found, dst, group_dst)

    def transfer(channel: Channel) -> None:
        host, mpi = _host(x), channel.mpi
        here = channel.rank == root
        buffer = number_buffer(mpi, "reduce", host, written=here)
        target = buffer if here else None
        channel.data.Reduce(mpi.IN_PLACE if here else buffer, target, mpi_op(mpi, kind), root)
        if here:
            _scale(host, kind, channel.size)
            _store(x, host)

    return _perform(found, f"reduce({kind}, dst={root}) of {describe(x)}", transfer, async_op)


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
        group: the ranks; None is all.
        async_op: return at once.
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
    root = _place("broadcast", found, src, group_src)

    def transfer(channel: Channel) -> None:
        host = packed(x)
        written = channel.rank != root
        channel.data.Bcast(byte_buffer(channel.mpi, "broadcast", host, written=written), root)
        if written:
            _store(x, host)

    return _perform(found, f"broadcast(src={root}) of {describe(x)}", transfer, async_op)


def _listed(name: str, argument: str, tensors: Any, count: int, like: Tensor) -> list[Tensor]:
    """A list of one tensor a rank, all like one."""
    parts = [check_tensor(name, f"{argument}[{i}]", each) for i, each in enumerate(tensors)]
    if len(parts) != count:
        raise ArgumentError(f"{name}: {argument} has {len(parts)} tensors for {count} ranks")
    for i, part in enumerate(parts):
        if part.shape != like.shape or part.dtype is not like.dtype:
            raise ShapeError(
                f"{name}: {argument}[{i}] is {describe(part)}, the tensor is {describe(like)}"
            )
    return parts


def _flat(like: Tensor, count: int) -> Tensor:
    return _core.empty((count, *like.shape), dtype=like.dtype)


def all_gather(
    tensor_list: Sequence[Tensor],
    tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Collect all ranks' tensors on every rank.

    Args:
        tensor_list: one tensor a rank, which receive them.
        tensor: this rank's, of one shape and dtype on all.
        group: the ranks; None is all.
        async_op: return at once.

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
    parts = _listed("all_gather", "tensor_list", tensor_list, found.size(), x)
    if found.channel is None:
        parts[0].copy_(x)

    def transfer(channel: Channel) -> None:
        flat = _flat(x, channel.size)
        mpi = channel.mpi
        sent = byte_buffer(mpi, "all_gather", packed(x))
        channel.data.Allgather(sent, byte_buffer(mpi, "all_gather", flat, written=True))
        for part, row in zip(parts, flat, strict=True):
            part.copy_(row)

    return _perform(found, f"all_gather of {describe(x)}", transfer, async_op)


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Collect all ranks' tensors in one, one after the other along dimension 0, or stacked.

    Args:
        output_tensor: of as many elements as all ranks' together; it receives them.
        input_tensor: this rank's, of one shape and dtype on all.
        group: the ranks; None is all.
        async_op: return at once.

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
    _check_whole(name, found, whole=out, part=x)
    if found.channel is None and found.rank() >= 0:
        out.copy_(x.reshape(out.shape))

    def transfer(channel: Channel) -> None:
        host = out if is_direct(out) else _core.empty(tuple(out.shape), dtype=out.dtype)
        mpi = channel.mpi
        received = byte_buffer(mpi, name, host, written=True)
        channel.data.Allgather(byte_buffer(mpi, name, packed(x)), received)
        _store(out, host)

    return _perform(found, f"{name} of {describe(x)}", transfer, async_op)


def _check_whole(name: str, group: ProcessGroup, *, whole: Tensor, part: Tensor) -> None:
    if whole.numel() != part.numel() * group.size() or whole.dtype is not part.dtype:
        raise ShapeError(
            f"{name}: {group.size()} ranks with {describe(part)} make "
            f"{part.numel() * group.size()} elements, but the whole is {describe(whole)}"
        )


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
        gather_list: on dst one tensor a rank, elsewhere None.
        dst: the job's number of the rank that receives.
        group: the ranks; None is all.
        async_op: return at once.
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
    root = _place("gather", found, dst, group_dst)
    parts = _root_list("gather", "gather_list", gather_list, found, root, x)
    if found.channel is None and parts:
        parts[0].copy_(x)

    def transfer(channel: Channel) -> None:
        mpi = channel.mpi
        flat = _flat(x, channel.size) if parts else None
        received = None if flat is None else byte_buffer(mpi, "gather", flat, written=True)
        channel.data.Gather(byte_buffer(mpi, "gather", packed(x)), received, root)
        for part, row in zip(parts, flat if flat is not None else (), strict=True):
            part.copy_(row)

    return _perform(found, f"gather(dst={root}) of {describe(x)}", transfer, async_op)


def _root_list(
    name: str, argument: str, given: Any, group: ProcessGroup, root: int, like: Tensor
) -> list[Tensor]:
    """The list on the rank that has it, which the others must not give."""
    if group.rank() != root:
        if given:
            raise ArgumentError(f"{name}: {argument} is for rank {group.ranks[root]} alone")
        return []
    if given is None:
        raise ArgumentError(f"{name}: rank {group.ranks[root]} must give {argument}")
    return _listed(name, argument, given, group.size(), like)


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
        scatter_list: on src one tensor a rank, elsewhere None.
        src: the job's number of the rank that sends.
        group: the ranks; None is all.
        async_op: return at once.
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
    root = _place("scatter", found, src, group_src)
    parts = _root_list("scatter", "scatter_list", scatter_list, found, root, x)
    if found.channel is None and parts:
        x.copy_(parts[0])

    def transfer(channel: Channel) -> None:
        mpi = channel.mpi
        flat = packed(_core.stack(parts)) if parts else None
        host = packed(x)
        sent = None if flat is None else byte_buffer(mpi, "scatter", flat)
        channel.data.Scatter(sent, byte_buffer(mpi, "scatter", host, written=True), root)
        _store(x, host)

    return _perform(found, f"scatter(src={root}) of {describe(x)}", transfer, async_op)


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
        input_list: one tensor a rank.
        op: one of ReduceOp.
        group: the ranks; None is all.
        async_op: return at once.

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
    parts = _listed("reduce_scatter", "input_list", input_list, found.size(), x)
    return _reduce_scattered(found, x, lambda: _core.stack(parts), kind, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Add up all ranks' tensors and give each rank its part, in the order of the ranks.

    Args:
        output: what receives this rank's part.
        input: of as many elements as all parts together.
        op: one of ReduceOp.
        group: the ranks; None is all.
        async_op: return at once.

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
    _check_whole(name, found, whole=whole, part=x)
    return _reduce_scattered(found, x, lambda: whole, kind, async_op)


def _reduce_scattered(
    group: ProcessGroup, x: Tensor, whole: Callable[[], Tensor], kind: str, async_op: bool
) -> Work | None:
    name = "reduce_scatter"
    if group.channel is None and group.rank() >= 0:
        x.copy_(whole().reshape(x.shape))

    def transfer(channel: Channel) -> None:
        mpi, sent = channel.mpi, _host(whole())
        host = _core.empty(tuple(x.shape), dtype=sent.dtype)
        received = number_buffer(mpi, name, host, written=True)
        channel.data.Reduce_scatter_block(
            number_buffer(mpi, name, sent), received, mpi_op(mpi, kind)
        )
        _scale(host, kind, channel.size)
        _store(x, host)

    return _perform(group, f"{name}({kind}) of {describe(x)}", transfer, async_op)


def all_to_all_single(
    output: Tensor, input: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Send the i-th equal part of `input` to rank i, and receive one from each rank.

    Args:
        output: of input's size and dtype; it receives the parts in the order of the ranks.
        input: of a size that the ranks divide.
        group: the ranks; None is all.
        async_op: return at once.

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
        _store(out, host)

    return _perform(found, f"{name} of {describe(x)}", transfer, async_op)


def barrier(group: ProcessGroup | None = None, async_op: bool = False) -> Work | None:
    """Wait until every rank has come here.

    Args:
        group: the ranks; None is all.
        async_op: return at once.

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

    return _perform(group_of(group), "barrier()", transfer, async_op)

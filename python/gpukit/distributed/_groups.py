"""Groups of ranks: the one of all, and those made of some."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from gpukit.distributed import _mpi, _nccl, _ray
from gpukit.distributed._channel import Channel
from gpukit.errors import ArgumentError, DistributedError, GpukitWarning

_DEFAULT_TIMEOUT = 1800.0  # seconds, as torch's with gloo


class ProcessGroup:
    """Ranks that communicate with each other; `new_group` creates one.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.new_group([0]).size()
        1
        >>> dist.destroy_process_group()
    """

    def __init__(self, ranks: Sequence[int], rank: int, channel: Channel | None) -> None:
        self.ranks = tuple(ranks)
        self._rank = rank
        self.channel = channel
        self.backend = "mpi"

    def rank(self) -> int:
        """This process's number in the group; -1 where it is none of it."""
        return self._rank

    def size(self) -> int:
        """How many ranks."""
        return len(self.ranks)

    def __repr__(self) -> str:
        return f"ProcessGroup(ranks={list(self.ranks)}, rank={self._rank})"


class _State:
    """What init_process_group sets up."""

    def __init__(self) -> None:
        self.world: ProcessGroup | None = None
        self.groups: list[ProcessGroup] = []
        self.mpi: Any = None
        self.farewell: Any = None
        self.by_ray = False


_state = _State()


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Join the other ranks of this job.

    A process that no mpiexec started is alone: size 1, every operation completes immediately and
    nothing needs MPI, so a script runs by itself as it does under `gpukit run -n 2`.

    Args:
        backend: "mpi", or "ray" in Ray's actors, where it is the default; "gloo", used in CPU
            tutorials, is an alias of it with a note. "nccl" leaves what is on GPUs there. What is
            on the CPU, and what NCCL has no operation or dtype for, still goes by MPI or Ray,
            which also carries NCCL's unique id.
        init_method: None or "env://"; MPI knows the ranks.
        timeout: seconds, or a timedelta: how long this call and each operation wait for the other
            ranks. None is 30 minutes.
        world_size: what it has to be; -1 takes what there is. Ray's actors must say it, unless Ray
            Train started them.
        rank: the number of this process, likewise.
        store: None; MPI needs none.
        group_name: between Ray's actors the name under which they meet; otherwise ignored.
        pg_options: accepted for compatibility with PyTorch; ignored.
        device_id: accepted for compatibility with PyTorch; ignored.

    Raises:
        DistributedError: it was called before, mpi4py is missing, MPI has other ranks than asked
            for, a rank does not call it within the timeout, or the backend is "nccl" and a rank has
            no GPU or no NCCL.
        ArgumentError: an argument says something else than that.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_rank(), dist.get_world_size()
        (0, 1)
        >>> dist.destroy_process_group()
    """
    if _state.world is not None:
        raise DistributedError("init_process_group: it was called before. Call it once a process")
    by_ray = backend == "ray" or (backend != "mpi" and _ray.is_worker())
    name = _checked_backend(backend, by_ray=by_ray)
    del pg_options, device_id
    if init_method not in {None, "env://"} or store is not None:
        raise ArgumentError(
            f"init_process_group: init_method is {init_method!r}, store {store!r}; ranks are "
            "started and connected by mpiexec: gpukit run -n 2 script.py. Leave both out"
        )
    seconds = seconds_of("init_process_group", timeout)
    if by_ray:
        world = _joined_by_ray(seconds, name, *_ray.numbers(rank, world_size), group_name)
    else:
        world = _joined(seconds, name) if _mpi.is_rank() else _alone(world_size)
    world.backend, _state.by_ray = name, by_ray
    _check_expected("world_size", world_size, world.size())
    _check_expected("rank", rank, world.rank())
    _state.world, _state.groups = world, [world]


def _checked_backend(backend: str | None, *, by_ray: bool) -> str:
    if backend == "gloo":
        used = "Ray's store" if by_ray else "MPI"
        warnings.warn(
            f"init_process_group: backend 'gloo' is torch's; gpukit uses {used} in its place.",
            GpukitWarning,
            stacklevel=3,
        )
        backend = None
    if backend not in {None, "mpi", "nccl", "ray"} or (by_ray and backend == "mpi"):
        names = "'ray' or 'nccl' between Ray's actors, 'mpi' or 'nccl' elsewhere"
        raise ArgumentError(f"init_process_group: backend is {backend!r}; use {names}")
    return backend or ("ray" if by_ray else "mpi")


def seconds_of(name: str, timeout: Any) -> float:
    """A timeout of a function in seconds."""
    if timeout is None:
        return _DEFAULT_TIMEOUT
    seconds = float(timeout.total_seconds() if hasattr(timeout, "total_seconds") else timeout)
    if seconds <= 0:
        raise ArgumentError(f"{name}: timeout is {seconds:g}; it must be positive")
    return seconds


def _check_expected(name: str, told: int, found: int) -> None:
    if told not in {-1, found}:
        raise ArgumentError(f"init_process_group: {name} is {told}, but MPI says {found}")


def _alone(world_size: int) -> ProcessGroup:
    wanted = max(world_size, _mpi.wanted_size())
    if wanted > 1 and _ray.is_worker():
        raise DistributedError(
            f"init_process_group: {wanted} ranks are wanted, but Ray started this process, not "
            "mpiexec. Use backend 'ray', or 'nccl' for tensors on GPUs"
        )
    if wanted > 1:
        raise DistributedError(
            f"init_process_group: {wanted} ranks are wanted, but no mpiexec started this process. "
            f"Start all of them by: gpukit run -n {wanted} script.py"
        )
    return ProcessGroup([0], 0, None)


def _joined(seconds: float, backend: str) -> ProcessGroup:
    told_rank, told_size = _mpi.rank_and_size()
    _mpi.await_ranks(told_rank, told_size, seconds)
    mpi = _mpi.load()
    size, rank = mpi.COMM_WORLD.Get_size(), mpi.COMM_WORLD.Get_rank()
    if size == 1:
        return ProcessGroup([0], 0, None)
    _state.mpi, _state.farewell = mpi, mpi.COMM_WORLD.Dup()
    comm = mpi.COMM_WORLD.Dup()
    if backend == "nccl":
        _nccl.check_all(mpi, comm)
    channel = _channel_of(comm, range(size), seconds, backend)
    _mpi.watch_end(mpi, _is_broken, _send_goodbye)
    return ProcessGroup(range(size), rank, channel)


def _joined_by_ray(
    seconds: float, backend: str, rank: int, size: int, group_name: str
) -> ProcessGroup:
    if size == 1:
        return ProcessGroup([0], 0, None)
    link = _ray.join(rank, size, group_name, seconds)
    from gpukit.distributed._ray_comm import Comm, Farewell, Names

    _state.mpi, _state.farewell = Names(), Farewell(link)
    comm = Comm(link, "world", range(size))
    if backend == "nccl":
        try:
            _nccl.check_all(_state.mpi, comm)
        except DistributedError:
            link.leave()
            raise
    return ProcessGroup(range(size), rank, _channel_of(comm, range(size), seconds, backend))


def _channel_of(comm: Any, ranks: Sequence[int], seconds: float, backend: str) -> Channel:
    channel = Channel(_state.mpi, comm, _state.farewell, ranks, seconds)
    channel.nccl = _nccl.Communicators(channel) if backend == "nccl" else None
    return channel


def _is_broken() -> bool:
    """Whether an operation is left undone, so that MPI's own end would wait for it."""
    channels = [group.channel for group in _state.groups if group.channel is not None]
    return any(each.broken is not None or not each.idle() for each in channels)


def _send_goodbye() -> None:
    world, farewell = _state.world, _state.farewell
    if world is None or world.channel is None:
        return
    for rank in world.ranks:
        if rank != world.rank():
            farewell.Isend([b"", 0, _state.mpi.BYTE], dest=rank)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Leave the group; without one, all of them. Other ranks that still wait for this one fail.

    Args:
        group: a group of new_group, or None.

    Raises:
        DistributedError: there is no group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.destroy_process_group()
        >>> dist.is_initialized()
        False
    """
    world = default_group()
    if group is None or group is world:
        if not _is_broken():
            _send_goodbye()
            leaving, _state.groups, _state.world = _state.groups, [], None
        else:
            leaving = []
    else:
        leaving = [group]
        _state.groups = [each for each in _state.groups if each is not group]
    for each in leaving:
        if each.channel is not None:
            each.channel.close()


def has_group() -> bool:
    """Whether init_process_group was called."""
    return _state.world is not None


def default_group() -> ProcessGroup:
    """The group of all ranks; DistributedError before init_process_group."""
    if _state.world is None:
        raise DistributedError(
            "there is no process group: call gpukit.distributed.init_process_group('mpi') first"
        )
    return _state.world


def group_of(group: ProcessGroup | None) -> ProcessGroup:
    """The group, or that of all."""
    world = default_group()
    if group is None:
        return world
    if not isinstance(group, ProcessGroup):
        raise TypeError(f"group must be a ProcessGroup, got {type(group).__name__}")
    return group


def new_group(
    ranks: Sequence[int] | None = None, timeout: Any = None, backend: str | None = None
) -> ProcessGroup:
    """A group of some ranks. Every rank of the job must call it, with the same ranks.

    Args:
        ranks: numbers of the job's ranks; None means all.
        timeout: as in init_process_group; None means that of all ranks' group.
        backend: as in init_process_group; None means that of all ranks' group.

    Returns:
        the group; on ranks that are not in it, one whose rank is -1.

    Raises:
        ArgumentError: a rank is absent or named twice.
        DistributedError: the ranks of the job name different ranks.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_process_group_ranks(dist.new_group([0]))
        [0]
        >>> dist.destroy_process_group()
    """
    world = default_group()
    checked = None if backend is None else _checked_backend(backend, by_ray=_state.by_ray)
    name = checked or world.backend
    chosen = sorted(world.ranks if ranks is None else (int(rank) for rank in ranks))
    wrong = [rank for rank in chosen if rank not in world.ranks]
    if wrong or len(set(chosen)) != len(chosen) or not chosen:
        raise ArgumentError(
            f"new_group: ranks is {chosen}; use different ranks of 0 to {world.size() - 1}"
        )
    place = chosen.index(world.rank()) if world.rank() in chosen else -1
    channel = _made_channel(world, chosen, timeout, name) if world.channel is not None else None
    group = ProcessGroup(chosen, place, channel if len(chosen) > 1 else None)
    group.backend = name
    _state.groups.append(group)
    return group


def _made_channel(
    world: ProcessGroup, chosen: list[int], timeout: Any, backend: str
) -> Channel | None:
    whole = world.channel
    assert whole is not None
    made: list[Channel | None] = [None]
    seconds = whole.timeout if timeout is None else seconds_of("new_group", timeout)

    def make() -> None:
        if backend == "nccl" and whole.nccl is None:
            _nccl.check_all(_state.mpi, whole.data)
        inside = world.rank() in chosen
        color = 0 if inside else _state.mpi.UNDEFINED
        comm = whole.data.Split(color, world.rank())
        if inside:
            made[0] = _channel_of(comm, chosen, seconds, backend)

    whole.run(f"new_group({backend}, {chosen})", make)
    return made[0]


class _WorldOfAll(type):
    @property
    def WORLD(cls) -> ProcessGroup:  # noqa: N802 (torch's name)
        """The group of all ranks; DistributedError where there is none."""
        return default_group()


class group(metaclass=_WorldOfAll):
    """`group.WORLD` is the group of all ranks, as leaving `group` out says.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.group.WORLD.size()
        1
        >>> dist.destroy_process_group()
    """

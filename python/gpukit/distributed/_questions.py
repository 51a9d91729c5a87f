"""What a process can ask about groups: engines, numbers and sizes."""

from __future__ import annotations

from gpukit.distributed import _mpi, _nccl, _ray
from gpukit.distributed._groups import ProcessGroup, group_of, has_group
from gpukit.errors import ArgumentError, DistributedError


def is_available() -> bool:
    """Whether groups can be made: always, since a single process is a group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.is_available()
        True
    """
    return True


def is_initialized() -> bool:
    """Whether init_process_group was called.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.is_initialized()
        False
    """
    return has_group()


def is_mpi_available() -> bool:
    """Whether mpi4py is installed. Nothing is started to find out.

    Example:
        >>> import gpukit.distributed as dist
        >>> isinstance(dist.is_mpi_available(), bool)
        True
    """
    from importlib.util import find_spec

    return find_spec("mpi4py") is not None


def is_nccl_available() -> bool:
    """Whether the backend "nccl" can be used here: a GPU, NCCL, and mpi4py to start with.

    Example:
        >>> import gpukit
        >>> import gpukit.distributed as dist
        >>> with gpukit.simulate(1):
        ...     dist.is_nccl_available() == dist.is_mpi_available()
        True
    """
    return (is_mpi_available() or _ray.is_worker()) and not _nccl.fault()


def is_gloo_available() -> bool:
    """Whether the backend "gloo" is accepted: an alias of "mpi" where that is available.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.is_gloo_available() == dist.is_mpi_available()
        True
    """
    return is_mpi_available()


def get_backend(group: ProcessGroup | None = None) -> str:
    """The backend's name.

    Args:
        group: a group; None means all ranks.

    Raises:
        DistributedError: there is no group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group()
        >>> dist.get_backend()
        'mpi'
        >>> dist.destroy_process_group()
    """
    return group_of(group).backend


def get_rank(group: ProcessGroup | None = None) -> int:
    """This process's number in a group.

    Args:
        group: a group; None means all ranks.

    Returns:
        0 to size - 1; -1 where the process is not in the group.

    Raises:
        DistributedError: there is no group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_rank()
        0
        >>> dist.destroy_process_group()
    """
    return group_of(group).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many ranks a group has; -1 where this process is not in it.

    Args:
        group: a group; None means all ranks.

    Raises:
        DistributedError: there is no group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_world_size()
        1
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    return found.size() if found.rank() >= 0 else -1


def get_process_group_ranks(group: ProcessGroup | None = None) -> list[int]:
    """The job's numbers of a group's ranks.

    Args:
        group: a group; None means all ranks.

    Raises:
        DistributedError: there is no group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_process_group_ranks()
        [0]
        >>> dist.destroy_process_group()
    """
    return list(group_of(group).ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """A rank's number in a group.

    Args:
        group: a group.
        global_rank: its number in the job.

    Raises:
        ArgumentError: it is not in the group.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_group_rank(dist.new_group([0]), 0)
        0
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    if global_rank not in found.ranks:
        raise ArgumentError(f"rank {global_rank} is not in the group of {list(found.ranks)}")
    return found.ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """A rank's number in the job.

    Args:
        group: a group.
        group_rank: its number in the group.

    Raises:
        ArgumentError: the group has no such rank.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.init_process_group("mpi")
        >>> dist.get_global_rank(dist.new_group([0]), 0)
        0
        >>> dist.destroy_process_group()
    """
    found = group_of(group)
    if not 0 <= group_rank < found.size():
        raise ArgumentError(f"group_rank is {group_rank}; the group has {found.size()} ranks")
    return found.ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number among the ranks of its machine: LOCAL_RANK.

    Args:
        fallback_rank: what it is where nothing says it.

    Raises:
        DistributedError: nothing says it, and there is no fallback_rank.

    Example:
        >>> import gpukit.distributed as dist
        >>> dist.get_node_local_rank(fallback_rank=0)
        0
    """
    told = _mpi.told_local_rank()
    found = fallback_rank if told is None else told
    if found is None:
        raise DistributedError(
            "get_node_local_rank: LOCAL_RANK is not set. Start the script by gpukit run -n 2 "
            "script.py, or give fallback_rank"
        )
    return int(found)

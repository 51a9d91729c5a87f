"""Ranks that Ray started: whether this process is one, and how they find each other.

There is no mpiexec: the ranks meet at a named actor, which rank 0 makes. It carries NCCL's unique
id, and what goes neither by NCCL nor by MPI.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from gpukit._system import installing
from gpukit.distributed._mpi import variables_of_torchrun
from gpukit.errors import ArgumentError, DistributedError

_LOOK = 0.05  # seconds between questions for the board
_boards: dict[str, Any] = {}  # that this process made: they end with it


def is_worker() -> bool:
    """Whether Ray started this process."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return False
    return bool(ray.get_runtime_context().worker.mode == ray.WORKER_MODE)


def numbers(rank: int, world_size: int) -> tuple[int, int]:
    """What was told, else what Ray Train says, else RANK and WORLD_SIZE."""
    told = _from_train() or variables_of_torchrun()
    rank = told[0] if rank == -1 else rank
    world_size = told[1] if world_size == -1 else world_size
    if rank == world_size == -1 and not is_worker():
        return 0, 1
    if rank == -1 or world_size == -1:
        raise ArgumentError(
            f"init_process_group: rank is {rank}, world_size {world_size}; Ray's actors have no "
            "numbers of their own. Say both: init_process_group('ray', rank=0, world_size=2)"
        )
    if not 0 <= rank < world_size:
        raise ArgumentError(
            f"init_process_group: rank is {rank}; use 0 to {world_size - 1}, or a larger world_size"
        )
    return rank, world_size


def _from_train() -> tuple[int, int] | None:
    train = sys.modules.get("ray.train")
    if train is None:
        return None
    try:
        context = train.get_context()
        return int(context.get_world_rank()), int(context.get_world_size())
    except (RuntimeError, AttributeError, TypeError):  # no worker of Ray Train
        return None


def join(rank: int, size: int, group_name: str, seconds: float) -> Any:
    """This rank's link to the board, once all ranks are there; DistributedError after `seconds`."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        raise DistributedError(
            f"init_process_group: {size} ranks are wanted by Ray, but this process is none of its. "
            f"Call it in Ray's actors ({installing.command('ray')} brings Ray)"
        )
    from gpukit.distributed import _ray_comm

    name = f"gpukit.distributed.{group_name or 'default'}"
    context = ray.get_runtime_context()
    actor = context.current_actor if context.get_actor_id() is not None else None
    end, missing = time.monotonic() + seconds, [0]
    while True:
        try:
            board = _board(ray, name, makes=rank == 0)
            answer = board.join.remote(rank, size, actor)
            if not ray.wait([answer], timeout=max(0.0, end - time.monotonic()))[0]:
                missing = ray.get(board.withdraw.remote(rank))
                break
            if generation := ray.get(answer):
                return _ray_comm.Link(board, rank, size, generation)
        except ray.exceptions.RayTaskError as error:
            raise DistributedError(f"init_process_group: {error.cause}") from error
        except ValueError as error:
            if rank == 0:  # it makes the actor: another group has the name
                raise DistributedError(
                    f"init_process_group: group_name {group_name!r} is in use: {error}"
                ) from error
            _boards.pop(name, None)  # rank 0 has not made it yet
        except ray.exceptions.RayError:  # it ends just now
            _boards.pop(name, None)
        if time.monotonic() > end:
            break
        time.sleep(_LOOK)
    told = ", ".join(map(str, missing))
    raise DistributedError(
        f"init_process_group: no call within {seconds:g} s by rank {told or size - 1} of {size}. "
        f"Every rank must call it with this group_name ({group_name!r}) and world_size; "
        "timeout=... sets the time",
        details={"ranks": missing},
    )


def _board(ray: Any, name: str, *, makes: bool) -> Any:
    """The actor; ValueError where there is none."""
    if not makes:
        return ray.get_actor(name)
    if name not in _boards:
        from gpukit.distributed._ray_board import Board

        kind = ray.remote(Board).options(num_cpus=0, name=name, max_concurrency=10_000)
        _boards[name] = kind.remote()
    return _boards[name]

"""MPI: whether this process is one of its ranks, how it is started, and how it ends."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from gpukit import _env
from gpukit._system import installing
from gpukit.errors import DistributedError

# Variables that process managers set for a rank: MPICH's and Intel's, Open MPI's, PMIx.
_RANK = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
_SIZE = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE")
_LOCAL_RANK = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK")

# MPICH among processes of one machine, over UCX or libfabric: shared memory, and nothing listens
# where other machines can reach it.
LOOPBACK = {
    "UCX_NET_DEVICES": "lo",
    "UCX_TLS": "posix,sysv,cma,self",
    "FI_PROVIDER": "tcp",
    "FI_TCP_IFACE": "lo",
}


def is_rank() -> bool:
    """Whether mpiexec started this process."""
    return any(_env.is_set(name) for name in _RANK)


def rank_and_size() -> tuple[int, int]:
    """What mpiexec says; (0, 1) of a process that it did not start."""
    return _first(_RANK, 0), _first(_SIZE, 1)


def local_rank(rank: int) -> int:
    """The number of this rank among those of its machine; `rank` where nothing says it."""
    return _first(_LOCAL_RANK, rank)


def told_local_rank() -> int | None:
    """The number of this rank among those of its machine, where a variable tells it."""
    found = _first(("LOCAL_RANK", *_LOCAL_RANK), -1)
    return None if found == -1 else found


def _first(names: tuple[str, ...], otherwise: int) -> int:
    return next((int(_env.text(name)) for name in names if _env.text(name)), otherwise)


def variables_of_torchrun() -> tuple[int, int]:
    """The rank and the number of ranks that torchrun's variables tell; -1 where they do not."""
    return _first(("RANK",), -1), _first(("WORLD_SIZE",), -1)


def wanted_size() -> int:
    """How many ranks torchrun's variables speak of."""
    return _first(("WORLD_SIZE",), 1)


def load() -> Any:
    """The module mpi4py.MPI, started."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # the package, or the library that it opens
        fix = installing.command("mpi")
        raise DistributedError(
            f"init_process_group: mpi4py cannot be imported ({error}). Ranks talk by MPI: "
            f"{fix} brings it, and mpiexec",
            fix=fix,
        ) from error
    return MPI


_meetings: list[Path] = []  # under `gpukit run` a folder that all ranks see
_calls = 0
_LOOK = 0.02


def meet_in(folder: Path) -> None:
    """Where the ranks of `gpukit run` find each other before MPI starts, which waits for all."""
    _meetings[:] = [folder]


def await_ranks(rank: int, size: int, seconds: float) -> None:
    """Wait until every rank has called this as often; DistributedError names who has not."""
    global _calls
    if not _meetings:
        return
    _calls += 1
    files = [_meetings[0] / f"{each}.joins{_calls}" for each in range(size)]
    files[rank].touch()
    end = time.monotonic() + seconds
    while missing := [each for each in range(size) if not files[each].exists()]:
        if time.monotonic() > end:
            files[rank].unlink()
            _calls -= 1  # the next try meets those that wait now
            raise DistributedError(
                f"init_process_group: no call within {seconds:g} s by rank "
                f"{', '.join(map(str, missing))} of {size}. Every rank must call it; "
                "timeout=... sets the time",
                details={"ranks": missing},
            )
        time.sleep(_LOOK)


_failing: list[Callable[[], bool]] = []
_leaving: list[Callable[[], None]] = []


def watch_end(mpi: Any, is_broken: Callable[[], bool], leave: Callable[[], None]) -> None:
    """See to it that a rank that fails ends the others.

    An uncaught exception aborts the job after its traceback; `is_broken` says at exit
    that an operation is left undone, which MPI would wait for; `leave` notifies the others
    otherwise.
    """
    _failing[:] = [is_broken]
    _leaving[:] = [leave]
    if getattr(sys.excepthook, "aborts_mpi", False):
        return
    before = sys.excepthook

    def report(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        before(kind, error, trace)
        abort(mpi)

    report.aborts_mpi = True  # type: ignore[attr-defined]
    sys.excepthook = report
    atexit.register(_at_exit, mpi)


def _at_exit(mpi: Any) -> None:
    if mpi.Is_finalized():
        return
    if any(check() for check in _failing):
        abort(mpi)
    for leave in _leaving:
        leave()


def abort(mpi: Any) -> None:
    """End every rank of the job, now."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    mpi.COMM_WORLD.Abort(1)

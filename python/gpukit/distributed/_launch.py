"""Start the ranks of a job by mpiexec, and say which failed and why."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpukit import _env
from gpukit._system import installing
from gpukit.distributed._mpi import LOOPBACK
from gpukit.errors import DistributedError

# How ranks end because another one did: its mpiexec interrupts them.
_BY_OTHERS = ("gpukit.errors.DistributedError", "KeyboardInterrupt")
_POLL = 0.02  # seconds between checks of the ranks
_PATIENCE = 5.0  # seconds for ranks to end after SIGTERM, or after another has failed


def find_mpiexec() -> str:
    """The program that starts ranks: of this environment's MPICH first.

    Its mpiexec.gforker forks them and opens no port; mpiexec itself listens for other machines.
    """
    beside = Path(sys.executable).parent
    for name in ("mpiexec.gforker", "mpiexec"):
        if (beside / name).is_file():
            return str(beside / name)
    if found := shutil.which("mpiexec"):
        return found
    fix = installing.command("mpi")
    raise DistributedError(f"gpukit run: there is no mpiexec. {fix} brings one", fix=fix)


def _environment(ranks: int, threads: int | None) -> dict[str, str]:
    changes = {name: value for name, value in LOOPBACK.items() if not _env.is_set(name)}
    if threads is not None:
        changes |= {"GPUKIT_NUM_THREADS": str(threads), "GLOO_SOCKET_IFNAME": "lo"}
    elif not _env.is_set("GPUKIT_NUM_THREADS"):
        changes["GPUKIT_NUM_THREADS"] = str(max(1, _cores() // ranks))
    return _env.for_child(Path(sys.executable).parent, **changes)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def launch(
    ranks: int, script: Sequence[str], timeout: float | None = None, threads: int | None = None
) -> int:
    """Run a script on several ranks of this machine; gives the exit status.

    Args:
        ranks: how many processes.
        script: its path, or "-m" and a module's name, and its arguments.
        timeout: seconds after which the job is ended; None is never.
        threads: of each rank; None is the cores' share, or what GPUKIT_NUM_THREADS says.
    """
    start = [sys.executable, "-m", "gpukit.distributed._start"]
    with (
        tempfile.TemporaryDirectory(prefix="gpukit-run-") as folder,
        _files_for_ranks() as files,
        _ended_by_signals(),
    ):
        numbers = [str(each) for each in files]
        command = [find_mpiexec(), "-n", str(ranks), *start, folder, *numbers, *script]
        job = subprocess.Popen(
            command, env=_environment(ranks, threads), start_new_session=True, pass_fds=files
        )
        watch = _Watch(Path(folder))
        try:
            status = _wait(job, watch, timeout)
        finally:
            watch.look()  # before the ranks that live are ended
            _end(job)
        notes = watch.notes()
    if status == 0 and all(note["state"] == "done" for note in notes):
        return 0
    print(f"gpukit run: {_failure_report(notes, watch.vanished, ranks)}", file=sys.stderr)
    return status if status > 0 else 1


@contextlib.contextmanager
def _files_for_ranks() -> Iterator[tuple[int, int, int]]:
    """Stdout and stderr, since mpiexec's relay loses the last lines, and a pipe without data.

    The pipe ends when this process does, however it does: then the ranks end, too.
    """
    reading, writing = os.pipe()
    files = (os.dup(1), os.dup(2), reading)
    try:
        yield files
    finally:
        for each in (*files, writing):
            os.close(each)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP raise SystemExit, so that the job is ended."""

    def stop(number: int, _frame: Any) -> None:
        raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Watch:
    """The ranks' notes, and which of the processes was gone first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.vanished: int | None = None
        self._failed_at: float | None = None

    def notes(self) -> list[dict[str, Any]]:
        """The output of the ranks, by rank."""
        found = [json.loads(path.read_text()) for path in self._folder.glob("*.json")]
        return sorted(found, key=lambda note: int(note["rank"]))

    def look(self) -> None:
        """Notice a rank that failed, or ended without a note."""
        if self.vanished is not None:
            return
        notes = self.notes()
        gone = [n["rank"] for n in notes if n["state"] == "running" and not _lives(n["pid"])]
        self.vanished = gone[0] if gone else None
        failed = gone or any(note["state"] == "failed" for note in notes)
        if failed and self._failed_at is None:
            self._failed_at = time.monotonic()

    def is_over(self) -> bool:
        """Whether a rank failed, and MPI has not ended the others: it may not have started."""
        return self._failed_at is not None and time.monotonic() > self._failed_at + _PATIENCE


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return not Path("/proc/self").exists()  # no such folder on macOS: nothing is known
    return state not in {"Z", "X"}


def _wait(job: subprocess.Popen[bytes], watch: _Watch, timeout: float | None) -> int:
    end = None if timeout is None else time.monotonic() + timeout
    while (status := job.poll()) is None:
        watch.look()
        if watch.is_over():
            return 1
        if end is not None and time.monotonic() > end:
            print(f"gpukit run: the job did not end within {timeout:g} s", file=sys.stderr)
            return 124
        time.sleep(_POLL)
    return status


def _end(job: subprocess.Popen[bytes]) -> None:
    """No process of the job outlives this one's wait for it."""
    for sign, seconds in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, _PATIENCE)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(job.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(seconds)
            if sign == signal.SIGTERM and not _group_lives(job.pid):
                return


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _failure_report(notes: list[dict[str, Any]], vanished: int | None, ranks: int) -> str:
    """Which rank failed first, and why."""
    failed = sorted((n for n in notes if n["state"] == "failed"), key=lambda note: note["time"])
    own = [note for note in failed if not note["why"].startswith(_BY_OTHERS)]
    if own:
        first = own[0]
        return f"rank {first['rank']} failed: {first['why']}. The other ranks were ended"
    if vanished is not None:
        return (
            f"rank {vanished} was killed or ended silently (out of memory?). "
            "The other ranks were ended"
        )
    if failed:
        return f"rank {failed[0]['rank']} failed: {failed[0]['why']}"
    if len(notes) < ranks:
        return f"only {len(notes)} of {ranks} ranks started"
    return "a rank failed while it ended"

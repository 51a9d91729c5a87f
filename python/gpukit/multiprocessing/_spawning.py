"""Several processes that run one function: spawn(), and what its processes end with."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing import connection as connections
from multiprocessing.connection import Connection
from typing import Any

from gpukit._arguments import int_from

_REPORT_BYTES = 32_768  # of a traceback, so that it fits into a pipe that nobody reads yet
_GRACE_SECONDS = 30.0  # between SIGTERM and SIGKILL


class ProcessException(Exception):  # noqa: N818 (torch's name)
    """A process of spawn() has failed.

    Args:
        msg: What happened.
        error_index: The number of the process, the first argument of its function.
        pid: Its id.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.multiprocessing.ProcessRaisedException, Exception)
        True
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = self.error_pid = pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function of a process has raised; the message holds its traceback.

    Args:
        msg: The text.
        error_index: The number of the process.
        error_pid: Its id.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.ProcessRaisedException("text", 1, 4711).error_index
        1
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """A process has ended by a signal or with an exit code.

    Args:
        msg: The text.
        error_index: The number of the process.
        error_pid: Its id.
        exit_code: As multiprocessing says it: below 0 it is a signal.
        signal_name: The signal, or None.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.ProcessExitedException("text", 1, 4711, -9, "SIGKILL").exit_code
        -9
    """

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        arguments = (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)
        return type(self), arguments


class ProcessContext:
    """The processes of start_processes().

    Args:
        processes: The processes.
        reports: For each, the end of a pipe that brings its traceback.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.ProcessContext([], []).join()
        True
    """

    def __init__(self, processes: list[Any], reports: list[Connection]) -> None:
        self.processes = processes
        self._reports = reports
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """Return the ids of the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process fails, or all have ended; the others are ended when one fails.

        Args:
            timeout: The longest wait in seconds; None waits for as long as it takes.
            grace_period: Seconds that the others have to end by themselves before SIGTERM.

        Returns:
            True when all have ended, False when some go on.

        Raises:
            ProcessRaisedException: The function of a process has raised.
            ProcessExitedException: A process was killed or has ended with an exit code.
        """
        failed = None
        for sentinel in connections.wait(list(self.sentinels), timeout) if self.sentinels else ():
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._end(grace_period)
        raise self._failure(failed)

    def _end(self, grace_period: float | None) -> None:
        for seconds, end in (
            (grace_period or 0.0, "terminate"),
            (_GRACE_SECONDS, "kill"),
            (None, ""),
        ):
            limit = None if seconds is None else time.monotonic() + seconds
            for process in self.processes:
                process.join(None if limit is None else max(0.0, limit - time.monotonic()))
            for process in self.processes:
                if end and process.is_alive():
                    getattr(process, end)()

    def _failure(self, index: int) -> ProcessException:
        process, report = self.processes[index], self._reports[index]
        try:
            if report.poll():
                text = f"\n\n-- Process {index} terminated with the following error:\n"
                text += report.recv_bytes().decode(errors="replace")
                return ProcessRaisedException(text, index, process.pid)
        except (EOFError, OSError):
            pass  # it was killed before it could write
        code = process.exitcode
        if code >= 0:
            text = f"process {index} terminated with exit code {code}"
            return ProcessExitedException(text, index, process.pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        text = f"process {index} terminated with signal {name}"
        return ProcessExitedException(text, index, process.pid, code, name)


class SpawnContext(ProcessContext):
    """The processes of spawn().

    Args:
        processes: The processes.
        reports: For each, the end of a pipe that brings its traceback.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.SpawnContext([], []).pids()
        []
    """


def _follow_parent() -> None:
    """Ends this process when the one that started it is gone, by SIGKILL too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # A shell that starts a job in the background lets it ignore SIGINT.
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        end = signal.SIGTERM if ignored else signal.SIGINT
        signal.pthread_kill(threading.main_thread().ident or 0, end)


def _run(fn: Callable[..., Any], index: int, args: tuple[Any, ...], report: Connection) -> None:
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # Ctrl-C reaches the whole group: the parent says so
    except Exception:
        text = traceback.format_exc().encode()
        report.send_bytes(text[-_REPORT_BYTES:])
        sys.exit(1)


def _started(  # noqa: PLR0917
    op: str,
    cls: type[ProcessContext],
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    nprocs: int,
    daemon: bool,
    start_method: str,
) -> ProcessContext:
    context: Any = multiprocessing.get_context(start_method)
    processes: list[Any] = []
    reports: list[Connection] = []
    try:
        for index in range(int_from(op, "nprocs", nprocs, 0)):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(fn, index, args, theirs), daemon=daemon)
            process.start()
            theirs.close()
            processes.append(process)
            reports.append(ours)
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    return cls(processes, reports)


def start_processes(  # noqa: PLR0917 (as torch's)
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run fn(i, *args) in nprocs processes, with i from 0 on; spawn() with any start method.

    Args:
        fn: A function of a module, called with the number of the process.
        args: Further arguments. The memory of CPU tensors among them is shared.
        nprocs: How many processes.
        join: Wait for all of them.
        daemon: They end with this process, and may start none themselves.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        None after a wait, else a ProcessContext.

    Raises:
        ProcessRaisedException: fn has raised in a process.
        ProcessExitedException: A process was killed or has ended with an exit code.
        ValueError: There is no such start method, or nprocs is negative.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.start_processes(print, nprocs=0)
    """
    started = _started("start_processes", ProcessContext, fn, args, nprocs, daemon, start_method)
    return _waited_for(started, join)


def spawn(  # noqa: PLR0917 (as torch's)
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> SpawnContext | None:
    """Run fn(i, *args) in nprocs new processes, with i from 0 on.

    When one of them fails, the others are ended. The program needs
    `if __name__ == "__main__":`, since the new processes import it.

    Args:
        fn: A function of a module, called with the number of the process.
        args: Further arguments. The memory of CPU tensors among them is shared.
        nprocs: How many processes.
        join: Wait for all of them.
        daemon: They end with this process, and may start none themselves.
        start_method: "spawn", or another of multiprocessing.

    Returns:
        None after a wait, else a SpawnContext with join() and pids().

    Raises:
        ProcessRaisedException: fn has raised in a process.
        ProcessExitedException: A process was killed or has ended with an exit code.
        ValueError: There is no such start method, or nprocs is negative.

    Example:
        >>> import gpukit
        >>> gpukit.multiprocessing.spawn(print, nprocs=0)
    """
    started = _started("spawn", SpawnContext, fn, args, nprocs, daemon, start_method)
    return _waited_for(started, join)  # type: ignore[return-value]


def _waited_for(started: ProcessContext, join: bool) -> ProcessContext | None:
    if not join:
        return started
    while not started.join():
        pass
    return None

"""A command that runs with simulated GPUs, waited for by this process."""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

# Ctrl-C needs no forwarding: the terminal sends it to both.
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def wait_for(
    command: Sequence[str], environment: dict[str, str], folder: Path | None = None
) -> int:
    """The exit status of the command, negative if a signal killed it.

    Termination signals are forwarded to it; this process's own handlers are restored
    afterwards.

    Args:
        command: Its first word is searched on the PATH of `environment`.
        environment: All variables of the command.
        folder: Where it starts; None for the current one.

    Raises:
        OSError: The command cannot be run.
    """
    found = shutil.which(command[0], path=environment["PATH"]) or command[0]
    with (
        subprocess.Popen(command, executable=found, env=environment, cwd=folder) as child,  # noqa: S603
        _passed_on(child.send_signal),
    ):
        return child.wait()


@contextmanager
def _passed_on(send: Callable[[int], None]) -> Iterator[None]:
    """Forward signals; only the main thread can."""
    before: dict[int, Any] = {}

    def pass_on(number: int, _frame: FrameType | None) -> None:
        send(number)

    if threading.current_thread() is threading.main_thread():
        for name in _PASSED_ON:
            number = getattr(signal, name)
            before[number] = signal.signal(number, pass_on)
        before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""`gpukit sim 2xT4 -- CMD`: run a command with simulated GPUs."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from gpukit._cli.command import EXIT_FAILED, EXIT_USAGE, Command

# Ctrl-C reaches the command by itself: the terminal sends it to both.
_PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cards", help="count and card, e.g. 2xT4")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command")


def _run(options: argparse.Namespace) -> int:
    from gpukit import _env
    from gpukit._sim_folder import sim_folder, variables
    from gpukit._simulate import check_text, library_path

    command = [word for i, word in enumerate(options.command) if not (i == 0 and word == "--")]
    if not command:
        print(
            "gpukit sim: give a command after --, e.g. gpukit sim 2xT4 -- gpukit bench",
            file=sys.stderr,
        )
        return EXIT_USAGE
    try:
        check_text(options.cards)
    except ValueError as error:
        print(f"gpukit sim: {error}", file=sys.stderr)
        return EXIT_USAGE
    sys.stdout.flush()
    with sim_folder(library_path().parent) as folder:
        # The command may be `python` or `gpukit` of this very environment, which need not be on
        # PATH.
        environment = _env.for_child(
            Path(sys.executable).parent, GPUKIT_SIMULATE=options.cards, **variables(folder)
        )
        try:
            status = _wait_for(command, environment)
        except OSError as error:
            print(f"gpukit sim: cannot run {command[0]!r}: {error.strerror}", file=sys.stderr)
            return EXIT_FAILED
    return _end_as(status)


def _wait_for(command: Sequence[str], environment: dict[str, str]) -> int:
    """The status of the command; signals that are meant to end it are passed on."""
    path = environment["PATH"]
    found = _find(command[0], path)
    with subprocess.Popen(command, executable=found, env=environment) as child:  # noqa: S603

        def pass_on(number: int, _frame: FrameType | None) -> None:
            child.send_signal(number)

        for name in _PASSED_ON:
            signal.signal(getattr(signal, name), pass_on)
        signal.signal(signal.SIGINT, lambda *_: None)
        return child.wait()


def _find(program: str, path: str) -> str:
    """The program on the command's own PATH."""
    import shutil

    return shutil.which(program, path=path) or program


def _end_as(status: int) -> int:
    """The exit status of the command; a signal that ended it ends this process, too."""
    if status >= 0:
        return status
    signal.signal(-status, signal.SIG_DFL) if -status not in _ALWAYS_FATAL else None
    sys.stdout.flush()
    os.kill(os.getpid(), -status)
    return 128 - status


_ALWAYS_FATAL = (signal.SIGKILL, signal.SIGSTOP)

COMMAND = Command(
    "sim", "Run a command with simulated GPUs: gpukit sim 2xT4 -- CMD.", _run, _arguments
)

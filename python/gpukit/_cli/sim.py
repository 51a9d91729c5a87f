"""`gpukit sim 2xT4 -- CMD`: run a command with simulated GPUs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_FAILED, EXIT_USAGE, Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cards", help="count and card, e.g. 2xT4")
    parser.add_argument(
        "--env-in",
        metavar="FOLDER",
        help="run nothing: create the folder of simulated libraries in FOLDER, for you to remove, "
        "and print the variables that programs need to find it",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command, after --")


def _run(options: argparse.Namespace) -> int:
    from gpukit._simulation.folder import environment, sim_folder
    from gpukit._simulation.library import library_path
    from gpukit._simulation.process import wait_for
    from gpukit._simulation.session import check_text
    from gpukit.errors import SimulationError

    command = [word for i, word in enumerate(options.command) if not (i == 0 and word == "--")]
    if options.env_in is not None:
        return _print_variables(options, command)
    if not command:
        return _refused("give a command after --, e.g. gpukit sim 2xT4 -- gpukit bench")
    try:
        check_text(options.cards)
    except (ValueError, SimulationError) as error:
        return _refused(str(error))
    sys.stdout.flush()
    with sim_folder(library_path().parent) as folder:
        try:
            status = wait_for(command, environment(folder, options.cards))
        except OSError as error:
            return _refused(f"cannot run {command[0]!r} ({error.strerror})", EXIT_FAILED)
    return _end_as(status)


def _refused(text: str, status: int = EXIT_USAGE) -> int:
    """Says why nothing was run, in the language of the screen."""
    from gpukit._language import shown

    print(f"gpukit sim: {shown(text)}", file=sys.stderr)
    return status


def _print_variables(options: argparse.Namespace, command: list[str]) -> int:
    """For later steps of a job, which start without `gpukit sim`."""
    from gpukit._simulation.folder import make_folder, variables
    from gpukit._simulation.library import library_path
    from gpukit._simulation.session import check_text
    from gpukit.errors import SimulationError

    if command or "\n" in options.cards:
        wrong = "runs no command" if command else "wants the devices and settings in one line"
        return _refused(f"--env-in {wrong}")
    try:
        check_text(options.cards)
        folder = make_folder(library_path().parent, Path(options.env_in).resolve(strict=True))
    except (ValueError, SimulationError, OSError) as error:
        return _refused(str(error))
    for name, value in {"GPUKIT_SIMULATE": options.cards, **variables(folder)}.items():
        print(f"{name}={value}")
    return 0


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

"""`gpukit sim 2xT4 -- CMD`: run a command with simulated GPUs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_FAILED, EXIT_USAGE, Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cards", help="count and card, e.g. 2xT4")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command")


def _run(options: argparse.Namespace) -> int:
    from gpukit import _env
    from gpukit._simulate import check_text

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
    # The command may be `python` or `gpukit` of this very environment, which need not be on PATH.
    environment = _env.for_child(Path(sys.executable).parent, GPUKIT_SIMULATE=options.cards)
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        print(f"gpukit sim: cannot run {command[0]!r}: {error.strerror}", file=sys.stderr)
        return EXIT_FAILED


COMMAND = Command(
    "sim", "Run a command with simulated GPUs: gpukit sim 2xT4 -- CMD.", _run, _arguments
)

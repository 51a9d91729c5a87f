"""`gpukit info`, and `gpukit` alone: what is here and what computes."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_OK, Command, add_json

_NEXT = (
    "\nNext: gpukit doctor says what is wrong; gpukit bench times every device here; "
    "gpukit sim 2xT4 -- gpukit bench shows two simulated GPUs."
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--stack", action="store_true", help="also the libraries that gpukit uses")


def _run(options: argparse.Namespace) -> int:
    import gpukit

    report = gpukit.info(stack=options.stack)
    if options.json:
        print(report.to_json())
    else:
        report.print()
    return EXIT_OK


def overview(_: argparse.Namespace) -> int:
    """`gpukit` without a command."""
    import gpukit

    gpukit.info().print()
    print(_NEXT)
    return EXIT_OK


COMMAND = Command("info", "What is here and what computes.", _run, _arguments)

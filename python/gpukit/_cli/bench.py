"""`gpukit bench`: benchmark the devices."""

from __future__ import annotations

import argparse
from typing import Any

from gpukit._cli.command import EXIT_DIFFER, EXIT_OK, Command, write

# The keys of gpukit.bench.exercises.EXERCISES, repeated so that other commands need not import it;
# a test compares them.
EXERCISE_NAMES = (
    "matmul",
    "crossover",
    "bandwidth",
    "logging",
    "scaling",
    "batching",
    "overlap",
    "gil",
    "relative",
    "allreduce",
)


_HOLDS = "times, names of devices and the versions behind them"


def _arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(EXERCISE_NAMES)
    parser.add_argument(
        "name", nargs="?", choices=EXERCISE_NAMES, metavar="NAME", help=f"one exercise: {names}"
    )
    parser.add_argument("--device", metavar="D", help="only this device, e.g. cuda:0")
    parser.add_argument(
        "--json", metavar="FILE", nargs="?", const="-", help="results as JSON (default: stdout)"
    )
    parser.add_argument("--html", metavar="FILE", help="results as an HTML fragment")


def _run(options: argparse.Namespace) -> int:
    from gpukit.bench import run
    from gpukit.bench.exercises import EXERCISES

    result: Any
    if options.name is None:
        result = run(device=options.device)
    else:
        result = EXERCISES[options.name].table(options.device)
    if options.json != "-":
        result.print()
    if options.json is not None:
        write(options.json, result.to_json(), _HOLDS)
    if options.html is not None:
        write(options.html, result.to_html(), _HOLDS)
    return EXIT_DIFFER if result.answers_differ else EXIT_OK


COMMAND = Command(
    "bench", "Time the CPU and every GPU; without NAME: matmul, add and copy.", _run, _arguments
)

"""`gpukit run -n 2 train.py`: a script on several ranks."""

from __future__ import annotations

import argparse
import sys

from gpukit import _language
from gpukit._cli.command import EXIT_USAGE, Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n",
        "--nproc-per-node",
        "--nproc_per_node",
        dest="ranks",
        type=int,
        default=1,
        metavar="N",
        help="how many ranks; default 1",
    )
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="end the job after this time"
    )
    parser.add_argument(
        "script", nargs=argparse.REMAINDER, help="the script, or -m and a module, and its arguments"
    )


def _run(options: argparse.Namespace) -> int:
    script = [word for i, word in enumerate(options.script) if not (i == 0 and word == "--")]
    if not script or script == ["-m"] or options.ranks < 1:
        wrong = "give a script" if options.ranks > 0 else f"-n is {options.ranks}; use 1 or more"
        text = _language.shown(f"{wrong}, e.g. gpukit run -n 2 train.py")
        print(f"gpukit run: {text}", file=sys.stderr)
        return EXIT_USAGE
    from gpukit.distributed._launch import launch

    sys.stdout.flush()
    return launch(options.ranks, script, options.timeout)


COMMAND = Command(
    "run", "Run a script on several ranks: gpukit run -n 2 train.py.", _run, _arguments
)

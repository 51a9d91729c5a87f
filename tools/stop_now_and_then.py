#!/usr/bin/env python3
"""Runs a command and stops its processes now and then, as a busy host does.

Linux counts such a stop neither as processor time nor as waiting for a core, so a process cannot
tell it from its own delay. A test that reads a clock and fails under this fails on a busy host too.
`tools/stop_now_and_then.py --share 0.05 pytest tests/sim` takes a twentieth of the time.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

SHORTEST_S = 0.002


def processes_of(session: int) -> list[int]:
    """The processes of a session."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            if int(file.read_text().rpartition(")")[2].split()[3]) == session:
                found.append(int(file.parent.name))
    return found


def send(processes: list[int], number: signal.Signals) -> None:
    """Send a signal to those that have not ended."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def stop(session: int, seconds: float) -> None:
    """Keep a session from running."""
    processes = processes_of(session)
    try:
        send(processes, signal.SIGSTOP)
        time.sleep(seconds)
    finally:
        send(processes, signal.SIGCONT)


def end(session: int) -> None:
    """End what is left of a session, of which nobody else knows."""
    send(processes_of(session), signal.SIGTERM)


def main() -> int:
    """Return the command's exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=0.05, help="of the time, stopped")
    parser.add_argument("--longest", type=float, default=0.03, help="seconds of the longest stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not 0 < options.share < 1:
        parser.error(f"--share must lie between 0 and 1, got {options.share}")
    if options.longest < SHORTEST_S:
        parser.error(f"--longest must be at least {SHORTEST_S}, got {options.longest}")
    if not options.command:
        parser.error("name the command to run")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    draw = random.Random(options.seed)
    stopped, began = 0.0, time.monotonic()
    with subprocess.Popen(options.command, start_new_session=True) as running:
        try:
            while running.poll() is None:
                seconds = SHORTEST_S * (options.longest / SHORTEST_S) ** draw.random()
                time.sleep(seconds * (1 - options.share) / options.share)
                stop(running.pid, seconds)
                stopped += seconds
        finally:
            end(running.pid)
    took = time.monotonic() - began
    print(f"stopped for {stopped:.1f} of {took:.1f} s", file=sys.stderr)
    return running.returncode


if __name__ == "__main__":
    sys.exit(main())

"""`gpukit monitor`: the table of GPUs again and again, in a terminal with bars, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys
import time

from gpukit._cli.command import EXIT_OK, Command, add_json, print_document

_HOME = "\x1b[H\x1b[J"


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "-i", "--interval", type=float, default=1.0, metavar="SEC", help="seconds between samples"
    )
    parser.add_argument(
        "-n", "--samples", type=int, metavar="N", help="end after N (with --json: 1 unless named)"
    )


def _run(options: argparse.Namespace) -> int:
    from gpukit.monitor import Monitor, smi, snapshot

    monitor = Monitor(options.interval)
    interval = monitor.interval  # one place judges it
    if options.samples is not None and options.samples < 1:
        raise ValueError(f"monitor: -n must be at least 1, got {options.samples}")
    if options.json:
        taken = [snapshot()]
        while len(taken) < (options.samples or 1):
            time.sleep(interval)
            taken.append(snapshot())
        print_document({"samples": [one.to_dict() for one in taken]})
        return EXIT_OK
    live = sys.stdout.isatty()
    if live:
        monitor.start()
    count = 0
    while options.samples is None or count < options.samples:
        if count:
            time.sleep(interval)
        table = smi()
        if live:
            sys.stdout.write(_HOME)
        table.print()
        if live and table.snapshot.gpus:
            sys.stdout.write(f"\n{monitor.plot_text()}\n")
        sys.stdout.flush()
        count += 1
        if not table.snapshot.gpus:
            break  # nothing will change by looking again
    return EXIT_OK


COMMAND = Command("monitor", "What each GPU is doing, until Ctrl-C.", _run, _arguments)

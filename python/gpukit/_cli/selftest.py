"""`gpukit selftest`: kernels with known answers on every device."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_FAILED, EXIT_OK, Command, add_json


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--device", metavar="D", help="only this device, e.g. cuda:0")


def _run(options: argparse.Namespace) -> int:
    import gpukit

    report = gpukit.selftest(options.device, verbose=not options.json)
    if options.json:
        print(report.to_json())
    return EXIT_OK if report.ok else EXIT_FAILED


COMMAND = Command("selftest", "Kernels with known answers on every device.", _run, _arguments)

"""`gpukit vendors`: the four kinds of GPU side by side."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_OK, Command, add_json


def _run(options: argparse.Namespace) -> int:
    import gpukit

    table = gpukit.vendors()
    if options.json:
        print(table.to_json())
    else:
        table.print()
    return EXIT_OK


COMMAND = Command("vendors", "NVIDIA, AMD, Apple and Intel side by side.", _run, add_json)

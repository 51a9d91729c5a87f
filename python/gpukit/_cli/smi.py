"""`gpukit smi`: what nvidia-smi shows, without nvidia-smi."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_OK, Command, add_json


def _run(options: argparse.Namespace) -> int:
    from gpukit.monitor import smi

    table = smi()
    if options.json:
        print(table.to_json())
    else:
        table.print()
    return EXIT_OK


COMMAND = Command("smi", "What each GPU is doing, as nvidia-smi shows it.", _run, add_json)

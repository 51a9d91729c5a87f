"""`gpukit smi`: what nvidia-smi shows, without nvidia-smi."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_OK, Command, add_json


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--topology", action="store_true", help="how the GPUs are connected, as `topo -m` shows it"
    )


def _run(options: argparse.Namespace) -> int:
    from gpukit.monitor import Topology, smi, topology

    shown = topology() if options.topology else smi()
    if options.json:
        print(shown.to_json())
    else:
        (shown.to_table() if isinstance(shown, Topology) else shown).print()
    return EXIT_OK


COMMAND = Command("smi", "What each GPU is doing, as nvidia-smi shows it.", _run, _arguments)

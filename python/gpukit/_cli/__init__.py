"""The commands of `gpukit`, a file each. To add one: write its file, name it in `NAMES`."""

from __future__ import annotations

from importlib import import_module

from gpukit._cli.command import Command

# The module gpukit._cli.<name> holds the COMMAND of that name; help shows them in this order.
NAMES = (
    "info",
    "bench",
    "doctor",
    "smi",
    "monitor",
    "selftest",
    "sim",
    "run",
    "cloud",
    "vendors",
    "watch",
    "lint",
    "port",
    "new",
    "versions",
)


def commands() -> list[Command]:
    """Every command, in the order of help."""
    return [import_module(f"gpukit._cli.{name}").COMMAND for name in NAMES]

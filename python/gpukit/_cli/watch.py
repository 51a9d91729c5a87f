"""`gpukit watch script.py [args]`: run a script, then show which of its lines waited for a GPU."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_FAILED, EXIT_OK, Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("script", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


def _status(ending: SystemExit) -> int:
    """The exit status that Python gives a script for its SystemExit."""
    if ending.code is None:
        return EXIT_OK
    if isinstance(ending.code, int):
        return ending.code
    print(ending.code, file=sys.stderr)
    return EXIT_FAILED


def _run(options: argparse.Namespace) -> int:
    import gpukit

    script = Path(options.script)
    if not script.is_file():
        raise FileNotFoundError(f"watch: there is no file {options.script!r}")
    before = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [options.script, *options.arguments], str(script.parent.resolve())
    seen = gpukit.watch().start()
    try:
        runpy.run_path(options.script, run_name="__main__")
    except SystemExit as ending:
        return _status(ending)
    finally:
        seen.stop()
        sys.argv, sys.path[0] = before
        print(seen.report, file=sys.stderr)
    return EXIT_OK


COMMAND = Command("watch", "Run a script and show which lines waited for a GPU.", _run, _arguments)

"""`gpukit watch script.py [args]`: run a script, then show which of its lines waited for a GPU.

In a script that imports torch, torch's waits are counted too.
"""

from __future__ import annotations

import argparse
import re
import runpy
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_FAILED, EXIT_OK, Command

_IMPORT_OF_TORCH = re.compile(r"^\s*(import|from)\s+([\w., ]*,\s*)?torch\b", re.MULTILINE)


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


def _uses_torch(script: Path) -> bool:
    """Whether the script imports torch, and it is here: then its waits are counted too."""
    from importlib.util import find_spec

    text = script.read_text(encoding="utf-8", errors="replace")
    return _IMPORT_OF_TORCH.search(text) is not None and find_spec("torch") is not None


def _run(options: argparse.Namespace) -> int:
    import gpukit

    script = Path(options.script)
    if not script.is_file():
        raise FileNotFoundError(f"watch: there is no file {options.script!r}")
    before = sys.argv, sys.path[0]
    sys.argv, sys.path[0] = [options.script, *options.arguments], str(script.parent.resolve())
    seen = gpukit.watch(foreign=_uses_torch(script)).start()
    try:
        runpy.run_path(options.script, run_name="__main__")
    except SystemExit as ending:
        return _status(ending)
    finally:
        seen.stop()
        sys.argv, sys.path[0] = before
        seen.report.to_table().print(sys.stderr)
    return EXIT_OK


COMMAND = Command("watch", "Run a script and show which lines waited for a GPU.", _run, _arguments)

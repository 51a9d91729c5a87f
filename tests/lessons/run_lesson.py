"""Runs the code cells of one lesson in IPython; prints the failing cell, exit code 1.

Usage: run_lesson.py LESSON.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from lesson_text import code_cells


def run(path: Path) -> int:
    """The exit code."""
    shell = InteractiveShell.instance(colors="NoColor")
    for number, cell in enumerate(code_cells(path.read_text(encoding="utf-8")), start=1):
        outcome = shell.run_cell(cell, store_history=True)
        if not outcome.success:
            print(f"\n{path.name}, code cell {number}, failed:\n\n{cell}", flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))

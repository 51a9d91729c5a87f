"""Writes docs/lessons/notebooks/*.ipynb from the lessons and docs/hardware.ipynb, without outputs.

Usage: make_notebooks.py [--check]. With --check nothing is written; exit code 1 if a file is stale.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lesson_text import Cell, cells

LESSONS = Path(__file__).resolve().parent.parent / "docs" / "lessons"
NOTEBOOKS = LESSONS / "notebooks"
HARDWARE = LESSONS.parent / "hardware-notebook.md"
_TO_LESSON = re.compile(r"\]\((\d\d-[\w-]+)\.md")
_TO_PAGE = re.compile(r"\]\(\.\./")


def moved(text: str) -> str:
    """The text with its links as seen from the folder of the notebooks."""
    return _TO_PAGE.sub("](../../", _TO_LESSON.sub(r"](\1.ipynb", text))


def as_json(cell: Cell, number: int) -> dict[str, Any]:
    """One cell as nbformat 4.5 wants it."""
    text = cell.text if cell.kind == "code" else moved(cell.text)
    common: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{number:02d}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    if cell.kind == "code":
        common |= {"execution_count": None, "outputs": []}
    return common


def notebook(lesson: str) -> str:
    """The text of a notebook file."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": [as_json(cell, number) for number, cell in enumerate(cells(lesson), start=1)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def wanted() -> dict[Path, str]:
    """Each notebook's path and text."""
    lessons = {
        NOTEBOOKS / f"{path.stem}.ipynb": notebook(path.read_text(encoding="utf-8"))
        for path in sorted(LESSONS.glob("0*.md"))
    }
    return lessons | {HARDWARE.with_name("hardware.ipynb"): notebook(HARDWARE.read_text("utf-8"))}


def stale(files: dict[Path, str]) -> list[Path]:
    """Notebooks that are missing, differ or have no lesson."""
    differing = [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    return differing + [path for path in NOTEBOOKS.glob("*.ipynb") if path not in files]


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if stale")
    files = wanted()
    old = stale(files)
    if parser.parse_args().check:
        for path in old:
            print(f"{path.name} is stale: run tools/make_notebooks.py")
        return 1 if old else 0
    NOTEBOOKS.mkdir(exist_ok=True)
    for path in old:
        if path in files:
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

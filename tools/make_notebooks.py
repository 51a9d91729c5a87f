"""Writes the lessons' notebooks, in both languages, and docs/hardware.ipynb, without outputs.

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

DOCS = Path(__file__).resolve().parent.parent / "docs"
LESSONS, CHINESE = DOCS / "lessons", DOCS / "zh" / "lessons"
HARDWARE = DOCS / "hardware-notebook.md"
# Below the title of a Chinese notebook: the lessons' code is the same in both languages.
IN_CHINESE = Cell("code", 'import gpukit\n\ngpukit.set_language("zh")')
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


def notebook(lesson: str, *added: Cell) -> str:
    """The text of a notebook file; what is added stands below the first cell."""
    first, *rest = cells(lesson)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": [as_json(cell, number) for number, cell in enumerate((first, *added, *rest), 1)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def wanted() -> dict[Path, str]:
    """Each notebook's path and text."""
    lessons = {
        folder / "notebooks" / f"{path.stem}.ipynb": notebook(path.read_text("utf-8"), *added)
        for folder, added in ((LESSONS, ()), (CHINESE, (IN_CHINESE,)))
        for path in sorted(folder.glob("0*.md"))
    }
    return lessons | {HARDWARE.with_name("hardware.ipynb"): notebook(HARDWARE.read_text("utf-8"))}


def stale(files: dict[Path, str]) -> list[Path]:
    """Notebooks that are missing, differ or have no lesson."""
    differing = [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    there = (path for folder in (LESSONS, CHINESE) for path in folder.glob("notebooks/*.ipynb"))
    return differing + [path for path in there if path not in files]


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
    for folder in (LESSONS, CHINESE):
        (folder / "notebooks").mkdir(exist_ok=True)
    for path in old:
        if path in files:
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares what `gpukit port` finds in torch's tutorials with the judged list.

    git clone https://github.com/PyTorchKorea/tutorials-kr tutorials
    git -C tutorials checkout 84b7db6e02
    python tools/judge_port.py tutorials

Prints each place that is listed and not judged, or judged and no longer listed, and the figures of
docs/port.md; exit code 1 if there is such a place, 2 for tutorials of another edition.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gpukit.port import port_file

JUDGED = Path(__file__).resolve().parent.parent / "tests" / "unit" / "port_judged.jsonl"
Spot = tuple[str, int, str, str]  # file, line, code, torch's name


def rows() -> list[dict[str, Any]]:
    """The judged list: a row a file, and a row a place."""
    return [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]


def judged(given: Iterable[dict[str, Any]]) -> Counter[Spot]:
    """The places of the list."""
    return Counter(
        (row["file"], row["line"], row["code"], row["name"]) for row in given if "code" in row
    )


def found(folder: Path, files: Iterable[str]) -> Iterator[Spot]:
    """The places that port lists in the tutorials of a folder."""
    for file in files:
        for left in port_file(folder / file).leftovers:
            yield file, left.line, left.code, left.torch_name


def figures(given: list[dict[str, Any]]) -> str:
    """The figures of the list, as docs/port.md has them."""
    files = [row for row in given if "lines" in row]
    places = [row for row in given if "code" in row]
    lines = sum(row["lines"] for row in files)
    seen = Counter(row["seen"] for row in places)
    false = sum(row["verdict"] == "false" for row in places)
    return (
        f"{len(files)} files, {lines} lines, {len(places)} places: "
        f"{seen['ran']} ran, {seen['read']} read, {false} false"
    )


def main(folder: str) -> int:
    """Compares the list with a folder of tutorials."""
    given = rows()
    files = [row["file"] for row in given if "lines" in row]
    lines = {row["file"]: row["lines"] for row in given if "lines" in row}
    for file in files:
        count = (Path(folder) / file).read_bytes().count(b"\n")
        if count != lines[file]:
            print(f"{file}: {count} lines, but the judged one has {lines[file]}: another edition?")
            return 2
    known, now = judged(given), Counter(found(Path(folder), files))
    for spot, count in sorted(((now - known) + (known - now)).items()):
        what = "not judged" if now[spot] > known[spot] else "no longer listed"
        print(f"{spot[0]}:{spot[1]}: {spot[2]} {spot[3]}: {what} ({count})")
    print(figures(given))
    return 1 if now != known else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

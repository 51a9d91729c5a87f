"""Turns results/cpu.json into a table: every goal beside what was measured.

`python benchmarks/report.py [FILE]` prints it again without measuring.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def _time(ns: float) -> str:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.0f} ns"


def _goal_cells(row: dict[str, Any]) -> tuple[str, str, str]:
    measured, wanted, met = [], [], True
    for peer, goal in row["goals"].items():
        ratio = row["ns"][peer] / row["ns"]["gpukit"]
        measured.append(f"{ratio:.2f} × {peer}")
        wanted.append(f"≥ {goal:g} × {peer}")
        met = met and ratio >= goal
    return "; ".join(measured), "; ".join(wanted), "yes" if met else "**no**"


def markdown(document: dict[str, Any]) -> str:
    """The report of one run; times are medians, ± half the middle half."""
    environment = document["environment"]
    lines = [
        "# gpukit on the CPU beside its peers",
        "",
        "Made by `pytest benchmarks`: same inputs, answers compared first, in turn, medians.",
        "",
        ", ".join(f"{key}: {value}" for key, value in environment.items()),
        "",
        "| group | what | gpukit | NumPy | torch | speed | goal | met |",
        "|---|---|--:|--:|--:|---|---|---|",
    ]
    for row in document["rows"]:
        cells = [
            f"{_time(row['ns'][k])} ± {100 * row['spread'][k] / 2:.0f} %" if k in row["ns"] else "–"
            for k in ("gpukit", "numpy", "torch")
        ]
        speed, goal, met = _goal_cells(row)
        name = row["name"] + (f" ({row['note']})" if row["note"] else "")
        lines.append("| " + " | ".join((row["group"], name, *cells, speed, goal, met)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    path = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "results" / "cpu.json"
    )
    print(markdown(json.loads(path.read_text(encoding="utf-8"))))

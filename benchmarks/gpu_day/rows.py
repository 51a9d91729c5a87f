"""Rows of the stage `peers`: results compared first, then the libraries measured in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpu_day.libraries import Array, Library
from gpu_day.sheet import Sheet
from gpu_day.stopwatch import interleaved

Work = Callable[[], Any]


def error_of(mine: Array, theirs: Array) -> float:
    """The largest difference, over the largest number."""
    a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
    scale = float(np.max(np.abs(b), initial=0.0)) or 1.0
    return float(np.max(np.abs(a - b), initial=0.0)) / scale


def add_times(
    sheet: Sheet,
    libraries: list[Library],
    row: dict[str, Any],
    works: Mapping[str, Work],
    *,
    amount: float = 0.0,
    unit: str = "",
) -> float:
    """Times, spreads and ratios to gpukit's, whose seconds it returns.

    `amount` is bytes or FLOPs of one call.
    """
    waits = {library.name: library.wait for library in libraries}
    times = interleaved({name: (work, waits[name]) for name, work in works.items()})
    own = times["gpukit"][0]
    for name, (time, spread) in times.items():
        row[f"{name} us"] = round(1e6 * time, 2)
        row[f"{name} spread"] = round(spread, 3)
    row |= {f"x {name}": round(t / own, 2) for name, (t, _) in times.items() if name != "gpukit"}
    if amount:
        row[unit] = round(amount / own / 1e9, 1)
    sheet.add(**row)
    return own


def add_row(
    sheet: Sheet,
    libraries: list[Library],
    name: str,
    work: Callable[[Library], Work],
    *,
    rtol: float,
    amount: float = 0.0,
    unit: str = "",
) -> float:
    """Compares the answers, then measures. Returns gpukit's seconds, infinity if results differ."""
    works = {library.name: work(library) for library in libraries}
    answers = {p.name: p.download(p.few(works[p.name]())) for p in libraries}
    worst = max(error_of(answers["gpukit"], answer) for answer in answers.values())
    if not worst <= rtol:
        sheet.add(what=name, answers=f"DIFFER by {worst:.1e} > {rtol:.0e}")
        return math.inf
    row = {"what": name, "answers": f"agree within {worst:.1e}"}
    return add_times(sheet, libraries, row, works, amount=amount, unit=unit)

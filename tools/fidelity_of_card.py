"""The parts of docs/fidelity.md that come from a card: benchmarks/results/h200."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "results" / "h200"
CARD = "an NVIDIA H200 (compute capability 9.0, driver 580)"
DAY = "2026-11-26"


def rows_of(name: str) -> list[dict[str, Any]]:
    """The rows of a stage."""
    document = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return list(document["rows"])


def held_against() -> list[str]:
    """How many forms ran on the card, which of them differ, and which it does not have."""
    rows = rows_of("instructions")
    families = [row for row in rows if "refused" in row]
    refused = [name for row in families for name in names_of(row["refused"])]
    apart = [row for row in rows if "form" in row and "how" in row]
    sequences = next(row for row in rows if row["family"] == "random sequences")
    sums = {row["form"]: row for row in rows if row["family"] == "matrix sums"}
    counts = {key: sum(row[key] for row in families) for key in ("compared", "differ")}
    lines = [
        "\n## Held against a card\n",
        f"Held against {CARD} on {DAY}: {counts['compared']} exact forms in 128 lanes each, of which "
        f"{counts['differ']} differ from the second evaluation, and {sequences['compared']} random "
        f"sequences, of which {sequences['differ']} differ.",
    ]
    if apart:
        lines += ["", "| form | where it differs |", "|---|---|"]
        lines += [f"| `{row['form']}` | {row['how']} |" for row in apart]
    lines += [
        f"\n{len(refused)} forms are not of its architecture, and were not compared: "
        + ", ".join(f"`{name}`" for name in refused)
        + ".",
        "\n`mma` does not add products in double there. In units of the last place of a sum's largest "
        "term its results were at most "
        + ", ".join(f"{row['furthest']} ({form})" for form, row in sums.items())
        + " from the exact sums, the executor's at most half a unit more than rounding makes them; "
        + ", ".join(f"{row['equal']} of 128 ({form})" for form, row in sums.items())
        + " were the same bits.",
    ]
    return lines


def names_of(text: str) -> list[str]:
    """The names of a list of forms."""
    return text.split(", ") if ", " in text else text.split()


def share(part: int, whole: int) -> str:
    """Per cent, where it is not a whole one."""
    return f"{100 * part / whole:.4g} %" if part else "none"


def approximations() -> list[str]:
    """How far the card is from the correctly rounded result, over all float32."""
    lines = [
        f"\nOver all 2^32 float32 numbers, {CARD} gave on {DAY} these distances from the correctly "
        "rounded result. The executor computes in float64 and rounds: it is within 1 ulp everywhere. "
        "Results that `.ftz` flushes count as further. The digest is of all pairs of operand and "
        "result (`benchmarks/gpu_day/approximations.py`): another card with the same digest gives "
        "the same bits.\n",
        "| instruction | equal | 1 ulp | 2 ulp | further | furthest | at | digest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows_of("approximations"):
        cells = [share(row[key], row["inputs"]) for key in ("exact", "one", "two")]
        cells.append(share(row["further"] + row["kind"], row["inputs"]))
        far = f"{row['furthest_ulp']} ulp, {row['absolute']:.3g}"
        cells += [far, row["at"], f"`{row['digest']}`"]
        lines.append(f"| `{row['instruction']}` | {' | '.join(cells)} |")
    return lines

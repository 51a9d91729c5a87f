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
    refused = [name for row in families for name in row["refused"].split("; ") if name]
    apart = [row for row in rows if "form" in row and "how" in row]
    compared, differ = (sum(row[key] for row in families) for key in ("compared", "differ"))
    sequences = next(row for row in rows if row["family"] == "random sequences")
    lines = [
        "\n## Held against a card\n",
        f"Held against {CARD} on {DAY}: {compared} exact forms in 128 lanes each, of which "
        f"{differ} differ from the second evaluation, and {sequences['compared']} random "
        f"sequences, of which {sequences['differ']} differ.",
    ]
    if sequences["differ"]:
        lines[1] += (
            " In each of these a guarded `vadd4.u32.u32.u32.add` or `vsub4.u32.u32.u32.add` ran in "
            "lanes that its guard excludes; the executor follows the guard."
        )
    if apart:
        lines += ["", "| form | where it differs |", "|---|---|"]
        lines += [f"| `{row['form']}` | {row['how']} |" for row in apart]
    lines += [
        f"\n{len(refused)} forms are not of its architecture, and were not compared: "
        + ", ".join(f"`{name}`" for name in refused)
        + ".",
    ]
    return lines + matrix_sums(rows)


def matrix_sums(rows: list[dict[str, Any]]) -> list[str]:
    """How many sums of products are the same bits."""
    sums = [row for row in rows if row["family"] == "matrix sums"]
    if not sums:
        return []
    lines = [
        "\n`mma` of floating-point numbers follows the sums that the card gives: the terms of a "
        "sum are cut off 25 bits behind the first bit of the largest exponent, added exactly, and "
        "the sum is cut off to float32. Cards of other generations keep other numbers of bits.\n",
        "| factors | sums compared | the same bits |",
        "|---|---|---|",
    ]
    return lines + [f"| {row['form']} | {row['compared']} | {row['equal']} |" for row in sums]


def share(part: int, whole: int) -> str:
    """Per cent, where it is not a whole one."""
    return f"{100 * part / whole:.4g} %" if part else "none"


def approximations() -> list[str]:
    """How far the card is from the correctly rounded result, over all float32."""
    lines = [
        f"\nOver all 2^32 float32 numbers, {CARD} gave on {DAY} these distances from the correctly "
        "rounded result. The executor computes in float64 and rounds: it is within 1 ulp "
        "everywhere. Results that `.ftz` flushes count as further. The digest is of all pairs of "
        "operand and result (`benchmarks/gpu_day/approximations.py`): another card with the same "
        "digest gives the same bits.\n",
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

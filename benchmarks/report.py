"""Turns results/*.json into tables and pictures: every goal beside what was measured.

`python benchmarks/report.py [FILE…]` writes them again without measuring. A file holds rows of one
kind of device, so figures of a CPU, a GPU and a simulation are never in one table.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pictures

RESULTS = Path(__file__).parent / "results"
TITLES = {
    "cpu": "gpukit on the CPU beside its peers",
    "gpu": "gpukit on a GPU beside its peers",
    "simulated": "gpukit on a simulated GPU: a model's figures, beside nothing",
}
PEERS = ("gpukit", "numpy", "torch")
# A peer of this name is a time that gpukit must keep, not a library.
LIMIT = "limit"
UNSTEADY = 0.25  # a spread above it: the middle half of the readings, by their median


def _time(ns: float) -> str:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.0f} ns"


def _ratio(row: dict[str, Any], peer: str) -> float:
    """How many times as fast as the peer gpukit is."""
    return float(row["ns"][peer] / row["ns"]["gpukit"])


def goal_shares(document: dict[str, Any]) -> list[tuple[str, float]]:
    """(what, measured ratio by its goal) of every goal: 1 and more is met."""
    return [
        (f"{row['group']}: {row['name']}, against {peer}", _ratio(row, peer) / goal)
        for row in document["rows"]
        for peer, goal in row["goals"].items()
        if peer in row["ns"]
    ]


def _measured(row: dict[str, Any], peer: str) -> str:
    return _time(row["ns"]["gpukit"]) if peer == LIMIT else f"{_ratio(row, peer):.2f} × {peer}"


def _wanted(row: dict[str, Any], peer: str) -> str:
    goal = row["goals"][peer]
    return f"≤ {_time(row['ns'][peer] / goal)}" if peer == LIMIT else f"≥ {goal:.3g} × {peer}"


def _time_cell(row: dict[str, Any], peer: str) -> str:
    if peer not in row["ns"]:
        return "–"
    spread = row["spread"][peer]
    mark = " †" if spread > UNSTEADY else ""
    return f"{_time(row['ns'][peer])} ± {100 * spread / 2:.0f} %{mark}"


def _goal_cells(row: dict[str, Any]) -> tuple[str, str, str]:
    goals = {peer: goal for peer, goal in row["goals"].items() if peer in row["ns"]}
    if not goals:
        return "", "", ""
    measured = "; ".join(_measured(row, peer) for peer in goals)
    wanted = "; ".join(_wanted(row, peer) for peer in goals)
    met = all(_ratio(row, peer) >= goal for peer, goal in goals.items())
    return measured, wanted, "yes" if met else "🔴 **no**"


def _processor_lines(processor: dict[str, Any]) -> list[str]:
    """Which OpenBLAS kernels ran, and what the processor reached at best."""
    return [
        f"\n{title}: " + ", ".join(f"{name} {value}" for name, value in processor[part].items())
        for part, title in (("openblas", "OpenBLAS kernels"), ("peak", "measured peak"))
        if processor.get(part)
    ]


def markdown(document: dict[str, Any]) -> str:
    """The report of one run; times are medians, ± half the middle half."""
    shares = goal_shares(document)
    met = sum(share >= 1 for _, share in shares)
    lines = [
        f"# {TITLES[document.get('kind', 'cpu')]}",
        "",
        "Made by `pytest benchmarks`: same inputs, results compared first, in turn, medians.",
        "Rows of fresh processes: each library alone in five processes of its own, in turn, since",
        "the threads of one library spin on after its work and take a core from the next.",
        *([f"{met} of {len(shares)} goals are met."] if shares else []),
        "",
        ", ".join(f"{key}: {value}" for key, value in document["environment"].items()),
        *_processor_lines(document.get("processor", {})),
        "",
        "| group | what | gpukit | NumPy | torch | speed | goal | met |",
        "|---|---|--:|--:|--:|---|---|---|",
    ]
    for row in document["rows"]:
        cells = [_time_cell(row, peer) for peer in PEERS]
        name = row["name"] + (f" ({row['note']})" if row["note"] else "")
        lines.append("| " + " | ".join((row["group"], name, *cells, *_goal_cells(row))) + " |")
    if any("†" in line for line in lines):
        lines += [
            "",
            f"† unsteady: half of the readings lie further apart than {100 * UNSTEADY:.0f} % of "
            "their median, so its ratios are rough.",
        ]
    return "\n".join(lines) + "\n"


def draw(document: dict[str, Any], stem: Path) -> None:
    """The pictures of a document: STEM.svg has the ratios, STEM-roofline.svg the rates."""
    title = TITLES[document.get("kind", "cpu")]
    for name, text in (
        (f"{stem.name}.svg", pictures.ratios(document, title)),
        (f"{stem.name}-roofline.svg", pictures.roofline(document, "Rates under the peaks")),
    ):
        if text:
            stem.with_name(name).write_text(text, encoding="utf-8")


def name_of(document: dict[str, Any]) -> str:
    """The name of its files: what the run was given by `--results`, else the kind of device."""
    return str(document.get("name") or document["kind"])


def merged(document: dict[str, Any], folder: Path = RESULTS) -> dict[str, Any]:
    """The document and the rows of earlier runs of other tests, if of the same machine."""
    path = folder / f"{name_of(document)}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if before.get("environment") != document["environment"]:
        return document
    rows = {(row["group"], row["name"]): row for row in [*before["rows"], *document["rows"]]}
    return {**document, "rows": list(rows.values())}


def write(document: dict[str, Any], folder: Path = RESULTS) -> None:
    """Writes the JSON, the Markdown and the picture of one kind of device."""
    folder.mkdir(exist_ok=True)
    stem = folder / name_of(document)
    text = json.dumps(document, indent=1) + "\n"
    stem.with_suffix(".json").write_text(text, encoding="utf-8")
    stem.with_suffix(".md").write_text(markdown(document), encoding="utf-8")
    draw(document, stem)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(RESULTS.glob("*.json")):
        write({"kind": "cpu", **json.loads(Path(name).read_text(encoding="utf-8"))})

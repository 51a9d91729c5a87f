"""The stages' JSON as one Markdown page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TITLES = {
    "machine": "The machine and the installation",
    "kernels": "Every kernel family beside the CPU",
    "measure": "First measurements",
    "suite": "The test suite",
    "peers": "Beside torch and CuPy",
    "sanitizer": "compute-sanitizer over the kernels",
    "conformance": "Real and simulated behaviour",
    "approximations": "Approximate instructions over all of float32",
    "instructions": "The forms of the PTX executor, on the hardware",
    "executor": "The tests of the PTX executor, on the hardware",
    "counters": "The hardware's counters, by Nsight Compute",
}


def _cell(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def table(rows: list[dict[str, Any]]) -> list[str]:
    """A Markdown table; columns in the order in which they first appear."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(c, "")) for c in columns) + " |" for row in rows]
    return lines


def section(document: dict[str, Any]) -> list[str]:
    name = document["stage"]
    lines = ["", f"## {TITLES[name]} (`--stage {name}`)", ""]
    lines.append(f"{document['ending']}, {document['seconds']} s")
    lines += [f"- {note}" for note in document.get("notes", [])]
    if document["rows"]:
        lines += ["", *table(document["rows"])]
    return lines


def write_report(out: Path, stages: Iterable[str]) -> None:
    """OUT/report.md from the JSON files that are there."""
    files = [out / f"{name}.json" for name in stages]
    documents = [json.loads(f.read_text(encoding="utf-8")) for f in files if f.exists()]
    lines = ["# A day with a GPU", ""]
    if any(document.get("simulated") for document in documents):
        lines.append("**Simulated: this shows that the stages run. No figure here is a GPU's.**")
    for document in documents:
        lines += section(document)
    (out / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")

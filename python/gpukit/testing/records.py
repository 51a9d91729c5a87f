"""The results of a test session: kept by test, written to a file, compared with one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpukit.bench.conditions import environment
from gpukit.bench.result import BenchResult, result_from
from gpukit.bench.store import judge_change
from gpukit.bench.tables import BenchTable
from gpukit.report import SCHEMA, Column, Table, duration_text

_KIND = "gpubench"
_COLUMNS = (
    Column("test", "test"),
    Column("before", "before", duration_text, numeric=True),
    Column("after", "after", duration_text, numeric=True),
    Column("change", "change", lambda value: f"{value:+.1f} %", numeric=True),
    Column("verdict", "verdict"),
)


def _key(test: str, result: BenchResult) -> str:
    return f"{test} | {result.name} | {result.device_name} | {result.library}"


class Records:
    """What the `gpubench` fixture measured in one session."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, BenchResult]] = []
        self._comparison: Table | None = None

    def add(self, test: str, result: BenchResult | BenchTable) -> None:
        """Keeps the result, or the rows, of a test."""
        rows = list(result) if isinstance(result, BenchTable) else [result]
        self._rows += [(test, row) for row in rows]

    def write(self, path: str) -> None:
        """Writes every result with its environment as one JSON document."""
        rows = [{"test": test, **result.to_dict()} for test, result in self._rows]
        document = {"schema": SCHEMA, "kind": _KIND, "environment": environment(), "rows": rows}
        text = json.dumps(document, indent=1, default=str)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def compare(self, path: str, allowed: float | None) -> int:
        """Compares with a file of `write`; gives how many are slower by more than `allowed`."""
        before = _read(path)
        rows = [
            _change(test, before[_key(test, after)], after, allowed)
            for test, after in self._rows
            if _key(test, after) in before
        ]
        new = sum(_key(test, after) not in before for test, after in self._rows)
        notes = [f"{new} results are not in {path}"] if new else []
        self._comparison = Table(f"gpubench against {path}", _COLUMNS, rows, notes)
        return 0 if allowed is None else sum(row["verdict"] == "slower" for row in rows)

    def sections(self) -> Iterator[tuple[str, str]]:
        """(title, text) of what the terminal shows at the end."""
        results = [result for _, result in self._rows]
        yield "gpubench", BenchTable("", results).to_text()
        if self._comparison is not None:
            yield "gpubench comparison", self._comparison.to_text()


def _read(path: str) -> dict[str, BenchResult]:
    """The results of a file by test, name, device and library."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = document["rows"] if document["kind"] == _KIND else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"--gpubench-compare: cannot read {path}: {error}") from error
    if rows is None:
        raise ValueError(f"--gpubench-compare: {path} was not written by --gpubench-json")
    return {_key(row["test"], result_from(row)): result_from(row) for row in rows}


def _change(
    test: str, before: BenchResult, after: BenchResult, allowed: float | None
) -> dict[str, Any]:
    row: dict[str, Any] = {"test": test, "before": before.median, "after": after.median}
    if before.simulated != after.simulated:
        return {**row, "verdict": "undecided (one is simulated)"}
    if before.median and after.median:
        row["change"] = 100 * (after.median / before.median - 1)
    options = {} if allowed is None else {"same": allowed}
    return {**row, "verdict": judge_change(before, after, **options)}

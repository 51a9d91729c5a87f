"""The results of a test session: kept by test, written to a file, compared with one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpukit.bench.conditions import environment
from gpukit.bench.result import BenchResult, BenchTable, result_from
from gpukit.bench.store import judge_change
from gpukit.report import SCHEMA, Column, Table, duration_text

_KIND = "gpubench"
_COLUMNS = (
    Column("test", "test"),
    Column("before", "before", duration_text, numeric=True),
    Column("after", "after", duration_text, numeric=True),
    Column("change", "change", lambda value: f"{value:+.1f} %", numeric=True),
    Column("verdict", "verdict"),
)


class _Location:
    """Where a test is: its file's path by parts, and the rest of its id.

    pytest's ids are relative to a root that depends on the arguments, so that the same test may be
    `tests/test_a.py::test_b` once and `test_a.py::test_b` another time.
    """

    def __init__(self, test: str) -> None:
        path, _, self.name = test.partition("::")
        self.parts = tuple(part for part in path.split("/") if part not in ("", "."))

    def agrees(self, other: _Location) -> bool:
        """True when one path is the end of the other."""
        shorter = min(len(self.parts), len(other.parts))
        return self.name == other.name and self.parts[-shorter:] == other.parts[-shorter:]


class _Before:
    """The results of a file, found again by test, name, device, library and number."""

    def __init__(self, rows: Sequence[tuple[str, BenchResult]]) -> None:
        self._by: dict[tuple[str, ...], list[tuple[_Location, BenchResult]]] = {}
        for test, key, result in _numbered(rows):
            self._by.setdefault(key, []).append((_Location(test), result))

    def find(self, test: str, key: tuple[str, ...]) -> BenchResult | None:
        """The result of the same test; None where there is none, or more than one may be meant."""
        place = _Location(test)
        found = [(other, row) for other, row in self._by.get(key, []) if place.agrees(other)]
        exact = [row for other, row in found if other.parts == place.parts]
        fitting = exact or [row for _, row in found]
        return fitting[0] if len(fitting) == 1 else None


def _numbered(
    rows: Sequence[tuple[str, BenchResult]],
) -> Iterator[tuple[str, tuple[str, ...], BenchResult]]:
    """Each result with what sets it apart from the others of its test; equal ones are numbered."""
    seen: dict[tuple[str, ...], int] = {}
    for test, result in rows:
        key = (_Location(test).name, result.name, result.device_name, result.library)
        place = (test, *key)
        seen[place] = seen.get(place, 0) + 1
        yield test, (*key, str(seen[place])), result


class Records:
    """The measurements of the `gpubench` fixture in one session."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, BenchResult]] = []
        self._comparison: Table | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, test: str, result: BenchResult | BenchTable) -> None:
        """Keeps the result, or the rows, of a test."""
        rows = list(result) if isinstance(result, BenchTable) else [result]
        self._rows += [(test, row) for row in rows]

    def to_rows(self) -> list[dict[str, Any]]:
        """Every result with its test, as it is written to a file."""
        return [{"test": test, **result.to_dict()} for test, result in self._rows]

    def add_rows(self, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps what `to_rows` of another process gave."""
        self._rows += [(row["test"], result_from(row)) for row in rows]

    def write(self, path: Path) -> None:
        """Writes every result with its environment as one JSON document."""
        document = {
            "schema": SCHEMA,
            "kind": _KIND,
            "environment": environment(),
            "rows": self.to_rows(),
        }
        text = json.dumps(document, indent=1, default=str)
        path.write_text(text + "\n", encoding="utf-8")

    def compare(self, path: Path, before: _Before, allowed: float | None) -> str | None:
        """Compares with a file of `write`; returns why the session fails: slower, or no match."""
        found = [(t, before.find(t, key), after) for t, key, after in _numbered(self._rows)]
        rows = [_change(test, old, after, allowed) for test, old, after in found if old is not None]
        new = [test for test, old, _ in found if old is None]
        notes = [f"{len(new)} results are not in {path}: {', '.join(new[:3])}"] if new else []
        self._comparison = Table(f"gpubench against {path}", _COLUMNS, rows, notes)
        if not rows and (new or allowed is not None):
            return f"nothing was compared: {path} has none of the {len(new)} results measured now"
        slower = sum(row["verdict"] == "slower" for row in rows)
        return f"{slower} results are slower" if slower and allowed is not None else None

    def sections(self) -> Iterator[tuple[str, str]]:
        """(title, text) of what the terminal shows at the end."""
        results = [result for _, result in self._rows]
        if results:
            yield "gpubench", BenchTable("", results).to_text()
        if self._comparison is not None:
            yield "gpubench comparison", self._comparison.to_text()


def read_results(path: Path) -> _Before:
    """The results of a file that `write` wrote. ValueError for anything else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = document["rows"] if document["kind"] == _KIND else None
        if rows is not None:
            return _Before([(row["test"], result_from(row)) for row in rows])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"--gpubench-compare: cannot read {path}: {error}") from error
    raise ValueError(f"--gpubench-compare: {path} was not written by --gpubench-json")


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

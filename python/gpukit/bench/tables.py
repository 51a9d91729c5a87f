"""The table that every exercise returns, and how its figures are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit.bench.conditions import environment
from gpukit.report import SCHEMA, Column, Table, rate_text

SIMULATED_NOTE = (
    "simulated: values are real, times are a model's; no speed-up is given against a measured time."
)


def speedup_text(value: float) -> str:
    """``12.3 ×``."""
    if value < 0.1:
        return f"{value:.2g} ×"
    if value < 10:
        return f"{value:.2f} ×"
    return f"{value:.1f} ×" if value < 100 else f"{value:.0f} ×"


def plain_rate(value: float) -> str:
    """A rate whose unit is in the heading."""
    return rate_text(value, "").strip()


def percent_text(value: float) -> str:
    """``82 %``."""
    return f"{value:.0f} %"


class ResultTable(Table):
    """The result of an exercise: rows, notes, and `facts` that programs ask for by name.

    Shown as text, HTML, Markdown, CSV and JSON; `plot()` where there is something to draw.

    Example:
        >>> import gpukit
        >>> result = gpukit.bench.batching(n=8, size=16, device="cpu")
        >>> isinstance(result, gpukit.bench.ResultTable), len(result.rows) > 0
        (True, True)
    """

    COLUMNS: ClassVar[Sequence[Column]] = ()

    def __init__(
        self,
        title: str,
        rows: list[dict[str, Any]],
        notes: Sequence[str] = (),
        *,
        facts: dict[str, Any] | None = None,
        simulated: bool = False,
        conditions: dict[str, Any] | None = None,
    ) -> None:
        own = [SIMULATED_NOTE] if simulated and SIMULATED_NOTE not in notes else []
        super().__init__(title, self.COLUMNS, rows, [*notes, *own])
        self.facts = facts or {}
        self.simulated = simulated
        self.environment = environment() if conditions is None else conditions

    @property
    def answers_differ(self) -> bool:
        """True if some row's result differs from the first row's."""
        return any(row.get("agrees") is False for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The raw values, facts, notes and environment: what `bench.load` reads."""
        return {
            "schema": SCHEMA,
            "kind": type(self).__name__,
            "title": self.title,
            "simulated": self.simulated,
            "facts": self.facts,
            "rows": self.rows,
            "notes": self.notes,
            "environment": self.environment,
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> ResultTable:
        """The table as `to_dict` wrote it."""
        return cls(
            document["title"],
            document["rows"],
            document["notes"],
            facts=document["facts"],
            simulated=document["simulated"],
            conditions=document["environment"],
        )

    def plot(self, path: Any = None) -> Any:
        """Draws the result (needs matplotlib, the extra "plot") and returns the figure.

        Args:
            path: a file to save the figure to.
        """
        from gpukit.bench.plots import draw

        return draw(self, path, simulated=self.simulated)

"""A stage's result: rows of a table, written after each row, so that a time limit loses none."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def simulated() -> bool:
    """Whether this run is on a simulated GPU: small sizes, and no figure is a GPU's."""
    return os.environ["GPUKIT_TEST_MODE"] == "sim"


class Sheet:
    """Rows of one stage, each a mapping from column to value."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or Path(sys.argv[1])
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def add(self, **row: Any) -> None:
        self.rows.append(row)
        self.write()

    def note(self, text: str) -> None:
        self.notes.append(text)
        self.write()

    def write(self) -> None:
        document = {
            "schema": 1,
            "simulated": simulated(),
            "rows": self.rows,
            "notes": self.notes,
        }
        self.file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

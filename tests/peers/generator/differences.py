"""Differences from the peer that are meant: which calls, why, and where a user can read it.

A row is narrow: it names the error's words or the rows, and `words` stand on its page.
"""

from __future__ import annotations

from . import differences_errors, differences_gradients, differences_values
from .arguments import Call
from .comparison import Difference
from .documented import Documented
from .open_differences import TABLE as OPEN

TABLE = (*differences_errors.ROWS, *differences_gradients.ROWS, *differences_values.ROWS)


def documented(call: Call, found: Difference, device: str) -> Documented | None:
    """The row that explains a difference, or None."""
    return next((row for row in (*TABLE, *OPEN) if row.applies(call, found, device)), None)

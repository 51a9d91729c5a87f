"""Where Python waits for other ranks, by line: what gpukit.watch shows of gpukit.distributed."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from gpukit import _traffic

Row = tuple[str, int, str, str, int, int, float]
_INNER = (
    str(Path(__file__).parent.parent) + "/",
    threading.__file__,
    contextlib.__file__,
    "<frozen",
)


class RankWatch:
    """Counts from start() to stop(), in all threads of the user."""

    def __init__(self, min_bytes: int, allowed: Callable[[], bool]) -> None:
        self._min_bytes = min_bytes
        self._allowed = allowed
        self._rows: dict[tuple[str, int, str], tuple[int, int, float]] = {}
        self._lock = threading.Lock()
        self._end: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begins."""
        self._end = _traffic.observe(waits=self._count)

    def stop(self) -> None:
        """Ends; a second time does nothing."""
        self._end()

    def rows(self) -> list[Row]:
        """(file, line, function, kind, count, bytes, seconds) for each line."""
        with self._lock:
            return [(*key, "ranks", *values) for key, values in self._rows.items()]

    def _count(self, wait: _traffic.Wait) -> None:
        if wait.bytes < self._min_bytes or self._allowed():
            return
        place = _place()
        with self._lock:
            count, total, waited = self._rows.get(place, (0, 0, 0.0))
            self._rows[place] = (count + 1, total + wait.bytes, waited + wait.seconds)


def _place() -> tuple[str, int, str]:
    """The line of the user that waits."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_INNER):
            return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
    return "", 0, ""

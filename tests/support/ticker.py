"""A Python thread that wants to run all the time, and what kept it from it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Ticker:
    """A thread that wakes every millisecond and remembers its longest gap."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.ticks = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        last = time.perf_counter()
        while not self._stop.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            self.longest = max(self.longest, now - last)
            self.ticks += 1
            last = now

    def start(self) -> None:
        self._thread.start()
        while self.ticks < 3:
            time.sleep(0.001)
        self.longest = 0.0
        self.ticks = 0

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@contextmanager
def ticking() -> Iterator[Ticker]:
    ticker = Ticker()
    ticker.start()
    try:
        yield ticker
    finally:
        ticker.stop()

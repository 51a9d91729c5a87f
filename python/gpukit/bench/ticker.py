"""How freely a pure-Python thread runs while something else happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_WARM_UP_S = 0.02


@dataclass(frozen=True)
class Freedom:
    """What a Python thread got done meanwhile.

    Attributes:
        seconds: how long it was watched.
        rate: loop passes a second.
        longest_stall: seconds of its longest standstill.
    """

    seconds: float
    rate: float
    longest_stall: float


class _Ticker(threading.Thread):
    """Counts as fast as Python can, and remembers its longest standstill."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.passes = 0
        self.longest = 0.0
        self.going = True

    def run(self) -> None:
        clock = time.perf_counter
        last = clock()
        while self.going:
            self.passes += 1
            now = clock()
            self.longest = max(self.longest, now - last)
            last = now

    def restart(self) -> None:
        self.passes, self.longest = 0, 0.0


def freedom_during(work: Callable[[], object], at_least: float = 0.0) -> Freedom:
    """Runs `work`, again and again until `at_least` seconds have passed, beside a busy thread."""
    ticker = _Ticker()
    ticker.start()
    try:
        time.sleep(_WARM_UP_S)
        ticker.restart()
        begin = time.perf_counter()
        while True:
            work()
            seconds = time.perf_counter() - begin
            if seconds >= at_least:
                break
        passes, longest = ticker.passes, ticker.longest
    finally:
        ticker.going = False
        ticker.join()
    return Freedom(seconds, passes / seconds if seconds > 0 else 0.0, longest)

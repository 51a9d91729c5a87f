"""How freely a pure-Python thread runs while something else happens.

A busy machine takes cores away from any thread. So the time in which the thread waited for a core
is separated (Linux keeps it for each thread) from the time in which the GIL blocked it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_WARM_UP_S = 0.02
_NOTABLE_GAP_S = 0.0005


@dataclass(frozen=True)
class Freedom:
    """The work that a Python thread did meanwhile.

    Attributes:
        seconds: how long it was watched.
        rate: loop passes a second.
        longest_stall: seconds of its longest stall, excluding waits for a core.
        held: seconds in which it could not run for another reason than a missing core; None where
            the system does not report it.
        cores: cores that the rest of the process kept busy, on average.
    """

    seconds: float
    rate: float
    longest_stall: float
    held: float | None
    cores: float

    def share(self, free: Freedom) -> float:
        """The part of its free speed that the thread kept, as far as the library decides it."""
        if self.held is None:
            return self.rate / free.rate
        return 1 - self.held / self.seconds


class _Queueing:
    """Seconds that a thread has waited for a core. Reading them keeps Python's lock."""

    def __init__(self, thread: int) -> None:
        import ctypes

        self._file = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
        self._text = ctypes.create_string_buffer(96)
        self._pread = ctypes.PyDLL(None).pread
        self._arguments = (self._file, self._text, ctypes.c_size_t(95), ctypes.c_int64(0))

    def seconds(self) -> float:
        length = self._pread(*self._arguments)
        return int(self._text.raw[:length].split()[1]) * 1e-9

    def close(self) -> None:
        os.close(self._file)


def _queueing(thread: int) -> _Queueing | None:
    """None if the system does not report it."""
    try:
        found = _Queueing(thread)
        found.seconds()
    except (OSError, AttributeError, IndexError, ValueError):
        return None
    return found


class _Ticker(threading.Thread):
    """Counts as fast as Python can, and remembers its longest standstill."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.passes = 0
        self.longest = 0.0
        self.going = True
        self.queueing: _Queueing | None = None

    def run(self) -> None:
        self.queueing = _queueing(threading.get_native_id())
        waited = self.waited()
        clock = time.perf_counter
        last = clock()
        going = True
        while going:  # one more pass after the end, which sees the standstill before it
            going = self.going
            self.passes += 1
            now = clock()  # once a pass: the lock may be lost right after it
            gap, last = now - last, now
            if gap > _NOTABLE_GAP_S:
                before, waited = waited, self.waited()
                gap -= waited - before
            self.longest = max(self.longest, gap)
        if self.queueing is not None:
            self.queueing.close()

    def waited(self) -> float:
        """Seconds that it waited for a core."""
        return 0.0 if self.queueing is None else self.queueing.seconds()

    def ran(self) -> float:
        """Seconds that it had a core."""
        assert self.ident is not None
        return time.clock_gettime(time.pthread_getcpuclockid(self.ident))

    def restart(self) -> None:
        self.passes, self.longest = 0, 0.0


@dataclass(frozen=True)
class _Reading:
    """The clocks of the process and of the ticker at one moment."""

    now: float
    process: float
    ran: float
    waited: float

    @classmethod
    def of(cls, ticker: _Ticker) -> _Reading:
        ran = ticker.ran() if ticker.queueing else 0.0
        return cls(time.perf_counter(), time.process_time(), ran, ticker.waited())


def freedom_during(work: Callable[[], object], at_least: float = 0.0) -> Freedom:
    """Runs `work` repeatedly until `at_least` seconds have passed, while another thread is busy."""
    ticker = _Ticker()
    ticker.start()
    try:
        time.sleep(_WARM_UP_S)
        ticker.restart()
        begin = _Reading.of(ticker)
        while True:
            work()
            if time.perf_counter() - begin.now >= at_least:
                break
        end, passes = _Reading.of(ticker), ticker.passes
        known = ticker.queueing is not None
    finally:
        ticker.going = False
        ticker.join()
    seconds = end.now - begin.now
    ran = end.ran - begin.ran
    held = seconds - ran - (end.waited - begin.waited)
    return Freedom(
        seconds,
        passes / seconds,
        ticker.longest,
        max(0.0, held) if known else None,
        max(0.0, end.process - begin.process - ran) / seconds,
    )

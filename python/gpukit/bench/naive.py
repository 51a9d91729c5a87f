"""What `time.time()` without synchronise would have said, and why that is not the time."""

from __future__ import annotations

from dataclasses import dataclass

from gpukit.bench.clock import stopwatch_resolution
from gpukit.report import duration_text

LAUNCH, EARLIER, FIRST, RESOLUTION = (
    "launch only",
    "waiting for earlier work",
    "first call",
    "clock resolution",
)

# A reading this many times off is wrong; within it, a plain stopwatch comes close.
_FAR = 1.5
# A first call this many times the later ones is what a single reading would have shown.
_SLOW_START = 2.0
# Readings below this many ticks of the clock are off by 10 % and more.
_TICKS = 10


@dataclass(frozen=True)
class NaiveReading:
    """Readings of a stopwatch without synchronise, and the true time, all in seconds per call."""

    true: float
    warm: float
    first_call: float
    queued: float | None = None

    @property
    def seconds(self) -> float:
        """The stopwatch reading of the function alone: after `setup`, if there is one."""
        return self.warm if self.queued is None else self.queued

    @property
    def reason(self) -> str | None:
        """Why the reading is wrong, or None when it comes close."""
        if self.queued is not None and self.queued > _FAR * self.true:
            return EARLIER
        if self.seconds < _TICKS * stopwatch_resolution():
            return RESOLUTION
        if self.true > _FAR * self.seconds:
            return LAUNCH
        return FIRST if self.first_call > _SLOW_START * self.true else None

    def sentence(self, subject: str) -> str:
        """The reason in words, with the figures."""
        said, true = duration_text(self.seconds), duration_text(self.true)
        if self.reason == EARLIER:
            return (
                f"{subject}: time.time() without synchronise says {said}, because the call waits "
                f"for earlier work that is still queued; the work itself takes {true}."
            )
        if self.reason == RESOLUTION:
            return (
                f"{subject}: one call takes {true} and time.time() moves in steps of "
                f"{duration_text(stopwatch_resolution())}: clock resolution decides what a plain "
                "stopwatch says, and it may say 0."
            )
        if self.reason == LAUNCH:
            return (
                f"{subject}: time.time() without synchronise says {said}, the time to queue the "
                f"work (launch only); the work takes {true}, "
                f"{self.true / self.seconds:.0f} times as long."
            )
        if self.reason == FIRST:
            return (
                f"{subject}: the first call takes {duration_text(self.first_call)} (loading code, "
                f"first memory), later ones {true}; one reading shows the first."
            )
        return f"{subject}: the call returns when its work is done, so a plain stopwatch agrees."

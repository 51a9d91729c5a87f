"""Time limits of tests: longer on an emulated processor, tried again on a busy machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

EMULATED = "QEMU_CPU" in os.environ  # tools/try_aarch64.py sets it
FACTOR = 20 if EMULATED else 1


def stretch(limit: float) -> float:
    """A limit in seconds as this processor needs it."""
    return limit * FACTOR


def holds(attempt: Callable[[], bool], tries: int = 10) -> bool:
    """True once an attempt succeeds.

    For what is read from a clock: a host that gives its cores to others stops the process at any
    moment. tools/stop_now_and_then.py finds the tests that need this.
    """
    return any(attempt() for _ in range(tries))


def wait_longer() -> None:
    """Stretch the limits of every process that this one starts."""

    def stretched(timeout: float | None) -> float | None:
        return None if timeout is None else stretch(timeout)

    wait, communicate = subprocess.Popen.wait, subprocess.Popen.communicate

    def patient_wait(self: Any, timeout: float | None = None) -> Any:
        return wait(self, stretched(timeout))

    def patient_communicate(self: Any, input: Any = None, timeout: float | None = None) -> Any:
        return communicate(self, input, stretched(timeout))

    for name, method in (("wait", patient_wait), ("communicate", patient_communicate)):
        setattr(subprocess.Popen, name, method)

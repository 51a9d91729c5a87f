"""Time limits of tests, which are longer where the processor is emulated."""

from __future__ import annotations

import os
import subprocess
from typing import Any

EMULATED = "QEMU_CPU" in os.environ  # tools/try_aarch64.py sets it
FACTOR = 20 if EMULATED else 1


def stretch(limit: float) -> float:
    """A limit in seconds as this processor needs it."""
    return limit * FACTOR


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

"""Time limits on processes that tests start, which are longer where the processor is emulated."""

from __future__ import annotations

import os
import subprocess
from typing import Any

EMULATED = "QEMU_CPU" in os.environ  # tools/try_aarch64.py sets it
FACTOR = 20


def stretch(limit: float | None) -> float | None:
    """A limit in seconds as an emulated processor needs it."""
    return None if limit is None else limit * FACTOR


def wait_longer() -> None:
    """Stretch the limits of every process that this one starts."""
    wait, communicate = subprocess.Popen.wait, subprocess.Popen.communicate

    def patient_wait(self: Any, timeout: float | None = None) -> Any:
        return wait(self, stretch(timeout))

    def patient_communicate(self: Any, input: Any = None, timeout: float | None = None) -> Any:
        return communicate(self, input, stretch(timeout))

    for name, method in (("wait", patient_wait), ("communicate", patient_communicate)):
        setattr(subprocess.Popen, name, method)

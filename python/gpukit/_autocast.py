"""What autocast is set to in this thread: read by layers, set by gpukit.amp."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from gpukit._core import Tensor


class Setting(NamedTuple):
    """Of one type of device."""

    enabled: bool
    dtype: Any


class _Thread(threading.local):
    """The settings of one thread, by the type of device, and what observes its operators."""

    def __init__(self) -> None:
        self.settings: dict[str, Setting] = {}
        self.depth = 0
        self.observation: Any = None


THREAD = _Thread()


def active_for(tensor: Tensor) -> bool:
    """Whether autocast is on for operators on this tensor's device."""
    setting = THREAD.settings.get(tensor.device.type) if THREAD.settings else None
    return setting is not None and setting.enabled

"""The simulated driver of this installation, and its own functions (csrc/sim/sim_control.h)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from gpukit import _core


def library_path() -> Path:
    """The simulated driver of this installation."""
    return Path(_core.__file__).parent / "_sim" / "libgpukit_simcuda.so"


@functools.cache
def simulator() -> Any:
    """The simulator's own functions."""
    import ctypes

    library = ctypes.CDLL(str(library_path()))
    library.gpukitSimCards.restype = ctypes.c_char_p
    library.gpukitSimFaultOf.restype = ctypes.c_char_p
    library.gpukitSimLastMessage.restype = ctypes.c_char_p
    library.gpukitSimClockMs.restype = ctypes.c_double
    library.gpukitSimCallCount.restype = ctypes.c_uint64
    return library


def virtual_clock_ms(index: int) -> float:
    """Milliseconds of a simulated device's clock: the end of its latest work."""
    return float(simulator().gpukitSimClockMs(index))

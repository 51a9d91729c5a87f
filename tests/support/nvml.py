"""Scripts for the simulated NVML that gpukit itself has open."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gpukit
from gpukit import _core


@contextmanager
def nvml_script(text: str) -> Iterator[None]:
    """NVML behaves as the text says (csrc/sim/nvml_script.h); afterwards as the simulation does."""
    gpukit.cuda.init()
    folder = Path(_core.driver_report()["library"]).parent
    library = ctypes.CDLL(str(folder / "libgpukit_simnvml.so"))
    library.gpukitSimNvmlConfigure.restype = ctypes.c_char_p
    wrong = library.gpukitSimNvmlConfigure(text.encode())
    assert wrong is None, wrong.decode()
    try:
        yield
    finally:
        library.gpukitSimNvmlConfigure(b"")

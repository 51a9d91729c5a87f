"""The conditions of a measurement, kept with its numbers."""

from __future__ import annotations

import os
import platform
from typing import Any

import gpukit


def conditions() -> dict[str, Any]:
    """Software, processor and load of this moment; nothing that names the user or the machine."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "gpukit": gpukit.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "threads": gpukit.get_num_threads(),
        "load_1min": None if load is None else round(load, 2),
    }

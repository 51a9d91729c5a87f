"""The wheels of a release, as tools/build_wheels.py names them."""

from __future__ import annotations

from pathlib import Path
from platform import machine


def wheel_for(python: str, wheels: Path) -> Path:
    """The wheel of a Python, such as "3.13", for this machine's processor; SystemExit if none."""
    tag = f"cp{python.replace('.', '')}"
    found = next(wheels.glob(f"gpukit-*-{tag}-{tag}-*_{machine()}.whl"), None)
    if found is None:
        raise SystemExit(f"{wheels} has no wheel for Python {python} on {machine()}")
    return found

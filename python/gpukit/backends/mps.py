"""Apple's Metal: gpukit detects it in `gpukit.info()` and does not compute on it."""

from __future__ import annotations

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Return False: gpukit does not compute on Metal."""
    return False


def is_built() -> bool:
    """Return False: gpukit does not compute on Metal."""
    return False

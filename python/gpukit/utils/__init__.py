"""Helpers other than networks: `gpukit.utils.data`, `checkpoint` and `benchmark`."""

from __future__ import annotations

from importlib import import_module

from gpukit._names.suggest import no_attribute
from gpukit.utils import checkpoint, data, hooks

__all__ = ["benchmark", "checkpoint", "data", "dlpack", "hooks"]


def __getattr__(name: str) -> object:
    if name in {"benchmark", "dlpack"}:  # loaded when they are first named
        return import_module(f"{__name__}.{name}")
    return no_attribute(__name__, name)

"""Helpers other than networks: `gpukit.utils.data` and `gpukit.utils.checkpoint`."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.utils import checkpoint, data

__all__ = ["checkpoint", "data"]

__getattr__ = module_getattr(__name__)

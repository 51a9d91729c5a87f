"""Helpers other than networks: `gpukit.utils.data`."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.utils import data

__all__ = ["data"]

__getattr__ = module_getattr(__name__)

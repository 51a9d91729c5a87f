"""The older place of TensorFlow's words: the same functions as in `gpukit.config`."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.config._settings import get_memory_growth, list_physical_devices, set_memory_growth

__all__ = ["get_memory_growth", "list_physical_devices", "set_memory_growth"]

__getattr__ = module_getattr(__name__)

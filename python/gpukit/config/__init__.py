"""Settings of devices in TensorFlow's words."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.config import experimental
from gpukit.config._physical import PhysicalDevice
from gpukit.config._settings import (
    get_memory_growth,
    get_pool,
    list_physical_devices,
    set_memory_growth,
    set_memory_limit,
    set_pool,
)

__all__ = [
    "PhysicalDevice",
    "experimental",
    "get_memory_growth",
    "get_pool",
    "list_physical_devices",
    "set_memory_growth",
    "set_memory_limit",
    "set_pool",
]

__getattr__ = module_getattr(__name__)

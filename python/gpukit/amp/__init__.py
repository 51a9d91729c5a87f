"""Half precision: products in half types, sums in float32, and gradients that do not underflow."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.amp.autocast_mode import (
    autocast,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_available,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
)
from gpukit.amp.custom_functions import custom_bwd, custom_fwd
from gpukit.amp.grad_scaler import GradScaler

__all__ = [
    "GradScaler",
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_available",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
]

__getattr__ = module_getattr(__name__)

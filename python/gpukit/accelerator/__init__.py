"""The accelerator of this machine, whatever its kind; CUDA is the one that gpukit computes on."""

from __future__ import annotations

from typing import Any

from gpukit import _core, _device, cuda
from gpukit._suggest import module_getattr

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "set_device_index",
    "synchronize",
]


def is_available() -> bool:
    """Return True when an accelerator can be used. May start the driver."""
    return cuda.is_available()


def device_count() -> int:
    """Return the number of accelerators, without starting the driver."""
    return _device.num_gpus()


def current_accelerator() -> _core.device | None:
    """Return device('cuda') when there is an accelerator, else None."""
    return _core.device("cuda") if device_count() else None


def current_device_index() -> int:
    """Return the index of this thread's current accelerator."""
    return cuda.current_device()


def set_device_index(index: int) -> None:
    """Make an accelerator this thread's current one."""
    cuda.set_device(index)


def synchronize(device: Any = None) -> None:
    """Wait until all queued work of an accelerator is done."""
    cuda.synchronize(device)


__getattr__ = module_getattr(__name__)

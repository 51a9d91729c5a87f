"""The accelerator of this machine, whatever its kind; CUDA is the one that gpukit computes on."""

from __future__ import annotations

from typing import Any

from gpukit import _core, _device, cuda
from gpukit._names.suggest import module_getattr

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "set_device_index",
    "synchronize",
]


def is_available() -> bool:
    """Return True when an accelerator can be used. May start the driver.

    Example:
        >>> import gpukit
        >>> gpukit.accelerator.is_available() == gpukit.cuda.is_available()
        True
    """
    return cuda.is_available()


def device_count() -> int:
    """Return the number of accelerators, without starting the driver.

    Example:
        >>> import gpukit
        >>> gpukit.accelerator.device_count() == gpukit.num_gpus()
        True
    """
    return _device.num_gpus()


def current_accelerator() -> _core.device | None:
    """Return device('cuda') when there is an accelerator, else None.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.accelerator.current_accelerator()
        device(type='cuda')
    """
    return _core.device("cuda") if device_count() else None


def current_device_index() -> int:
    """Return the index of this thread's current accelerator.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.accelerator.current_device_index()
        0
    """
    return cuda.current_device()


def set_device_index(index: int) -> None:
    """Make an accelerator this thread's current one.

    Args:
        index: The index; a negative one does nothing.

    Raises:
        InvalidDeviceError: It is not a CUDA device, such as "cpu".
        DeviceNotFoundError: The device does not exist.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.accelerator.set_device_index(1)
        ...     gpukit.accelerator.current_device_index()
        1
    """
    cuda.set_device(index)


def synchronize(device: Any = None) -> None:
    """Wait until all queued work of an accelerator is done.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x = gpukit.ones(3, device="cuda") + 1
        ...     gpukit.accelerator.synchronize()
        ...     x.ready()
        True
    """
    cuda.synchronize(device)


__getattr__ = module_getattr(__name__)

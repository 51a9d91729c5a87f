"""Device settings: memory growth, limits and pools, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from gpukit import _core, _device
from gpukit._arguments import bytes_of
from gpukit.config._physical import PhysicalDevice
from gpukit.cuda._context import present_index

_KINDS = {"cpu": "cpu", "gpu": "cuda", "cuda": "cuda"}


class _Devices(list[PhysicalDevice]):
    """A list whose IndexError says why there is no such device."""

    def __getitem__(self, place: Any) -> Any:
        try:
            return super().__getitem__(place)
        except IndexError:
            why = _device.with_fix(_device.driver_fault()) if not self else ""
            raise IndexError(
                f"list_physical_devices: index {place} is out of range for a list of {len(self)}"
                f"{': ' if why else ''}{why.rstrip('. ')}. Guard it: if gpus: …"
            ) from None


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return all devices, or those of 'GPU' or 'CPU'. Does not start the driver in this process.

    Args:
        device_type: 'GPU' or 'CPU', case-insensitive; None means both.

    Raises:
        ValueError: It is another string.
        TypeError: It is not a string.

    Example:
        >>> import gpukit
        >>> gpukit.config.list_physical_devices("CPU")
        [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
        >>> with gpukit.simulate(2):
        ...     [found.name for found in gpukit.config.list_physical_devices("GPU")]
        ['/physical_device:GPU:0', '/physical_device:GPU:1']
    """
    if device_type is None:
        return _Devices(map(PhysicalDevice, _device.devices()))
    if not isinstance(device_type, str):
        raise TypeError(f"list_physical_devices: device_type must be text, got {device_type!r}")
    kind = _KINDS.get(device_type.lower())
    if kind is None:
        raise ValueError(
            f"list_physical_devices: device_type must be 'GPU' or 'CPU', got {device_type!r}"
        )
    return _Devices(PhysicalDevice(one) for one in _device.devices() if one.type == kind)


def set_memory_growth(dev: Any, enable: bool) -> None:
    """Accept True, which is how gpukit always works: memory is allocated on demand.

    Args:
        dev: A CUDA device.
        enable: True.

    Raises:
        ValueError: enable is False: gpukit never takes a whole device.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.config.set_memory_growth("cuda:0", True)
    """
    present_index("set_memory_growth", dev)
    if not isinstance(enable, bool):
        raise TypeError(f"set_memory_growth: enable must be True or False, got {enable!r}")
    if not enable:
        raise ValueError(
            "set_memory_growth: enable=False is not offered: gpukit never takes a whole device. "
            "Use gpukit.config.set_memory_limit(dev, bytes) for an upper limit"
        )


def get_memory_growth(dev: Any) -> bool:
    """Return True: memory is always taken when it is needed.

    Args:
        dev: A CUDA device.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.config.get_memory_growth("cuda:0")
        True
    """
    present_index("get_memory_growth", dev)
    return True


def set_memory_limit(dev: Any, limit: int | str) -> None:
    """Let this process hold at most `limit` bytes of a device's memory; 0 removes the limit.

    Args:
        dev: A CUDA device.
        limit: Bytes, or text: '2 GiB' is 2 · 2^30, '2 GB' 2 · 10^9.

    Raises:
        ValueError: limit is negative or no such text.
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.config.set_memory_limit("cuda:0", "1GiB")
        ...     try:
        ...         gpukit.empty(2**29, device="cuda:0")
        ...     except gpukit.OutOfMemoryError as error:
        ...         print(error.requested)
        2147483648
    """
    size = bytes_of("set_memory_limit", "limit", limit)
    _core.set_memory_limit(_core.device("cuda", present_index("set_memory_limit", dev)), size)


def set_pool(pool: str, dev: Any = None) -> None:
    """Choose where new memory of all CUDA devices, or of `dev`, comes from.

    "pool" is gpukit's caching allocator, the default; "cuda_async" the driver's stream-ordered
    pool; "none" keeps nothing, which is slow and shows what a program really needs. Blocks go back
    to where they came from, so it may change at any time.

    Args:
        pool: "pool", "cuda_async" or "none".
        dev: A CUDA device; None means all.

    Raises:
        ValueError: pool is another text.
        NotImplementedError: The card or driver has no pools.
        DeviceNotFoundError: There is no GPU.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.config.set_pool("none")
        ...     gpukit.config.get_pool()
        'none'
    """
    if dev is not None:
        indices = [present_index("set_pool", dev)]
    else:
        present_index("set_pool", 0)
        indices = list(range(_core.cuda_device_count()))
    for index in indices:
        _core.set_pool(_core.device("cuda", index), pool)


def get_pool(dev: Any = None) -> str:
    """Return what `set_pool` chose for a device, by default the current one.

    Args:
        dev: A CUDA device; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.config.get_pool()
        'pool'
    """
    return _core.selected_pool(_core.device("cuda", present_index("get_pool", dev)))

"""Properties of a CUDA device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._names.earlier import renamed
from gpukit._system import counting
from gpukit.cuda._context import present_index


@dataclass(frozen=True)
class DeviceProperties:
    """Properties of a device in torch's names. Bytes, kHz, bits; 0 where unknown.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     properties = gpukit.cuda.get_device_properties()
        >>> properties.multi_processor_count, properties.major, properties.minor
        (40, 7, 5)
    """

    name: str
    uuid: str
    pci_bus_id: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int
    max_threads_per_block: int
    max_threads_per_multi_processor: int
    max_blocks_per_multi_processor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    regs_per_multiprocessor: int
    L2_cache_size: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int
    async_engine_count: int
    compute_mode: int
    is_integrated: bool
    ecc_enabled: bool
    concurrent_kernels: bool
    unified_addressing: bool
    memory_pools: bool
    simulated: bool

    @property
    def is_multi_gpu_board(self) -> bool:
        """Always False; a board of several GPUs shows as several devices."""
        return False


@renamed(d="device")
def get_device_properties(device: Any = None) -> DeviceProperties:
    """Return the properties of a device; makes no context.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpukit.cuda.get_device_properties().total_memory / 2**30 > 14
        True
    """
    return DeviceProperties(
        **_core.device_properties(present_index("get_device_properties", device))
    )


@renamed(d="device")
def get_device_name(device: Any = None) -> str:
    """Return the name of a device, e.g. 'Tesla T4'.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpukit.cuda.get_device_name()
        'Tesla T4 (simulated)'
    """
    return str(_core.device_properties(present_index("get_device_name", device))["name"])


@renamed(d="device")
def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a device, e.g. (7, 5).

    Args:
        device: A device, its name or its index; None means the current one.

    Returns:
        (major, minor).

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpukit.cuda.get_device_capability()
        (7, 5)
    """
    properties = _core.device_properties(present_index("get_device_capability", device))
    return int(properties["major"]), int(properties["minor"])


def get_arch_list() -> list[str]:
    """Return the architectures that this build has kernels for, e.g. ['sm_75', 'compute_100'].

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.cuda.get_arch_list(), list)
        True
    """
    found = {(ptx, arch) for _, arch, ptx, _ in _core.kernel_images()}
    return [f"{'compute' if ptx else 'sm'}_{arch}" for ptx, arch in sorted(found)]


def get_gencode_flags() -> str:
    """Return the architectures of `get_arch_list` as options of nvcc.

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.cuda.get_gencode_flags(), str)
        True
    """
    flags = []
    for name in get_arch_list():
        kind, arch = name.split("_")
        flags.append(f"-gencode compute=compute_{arch},code={kind}_{arch}")
    return " ".join(flags)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return True when the current GPU computes with bfloat16.

    Every GPU that gpukit runs on does, by float32 where it has no instructions for it.

    Args:
        including_emulation: False asks for instructions of its own: Ampere or newer.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpukit.cuda.is_bf16_supported(), gpukit.cuda.is_bf16_supported(False)
        (True, False)
    """
    if counting.device_count() == 0:
        return False
    return including_emulation or get_device_capability()[0] >= 8


def is_tf32_supported() -> bool:
    """Return True when the current GPU has TF32: Ampere or newer.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "A100"):
        ...     gpukit.cuda.is_tf32_supported()
        True
    """
    return counting.device_count() > 0 and get_device_capability()[0] >= 8

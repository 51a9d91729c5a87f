"""`gpukit.cuda`: devices, streams, events and memory in the shape of `torch.cuda`.

Importable on every machine. Counts and bytes are 0 without a GPU; what needs one raises
DeviceNotFoundError with the reason.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gpukit import _device
from gpukit._core import (
    CUDAGraph,
    Event,
    ExternalStream,
    Stream,
    current_stream,
    default_stream,
)
from gpukit._system import counting
from gpukit.cuda._context import (
    StreamContext,
    can_device_access_peer,
    current_device,
    device,
    device_of,
    get_stream_from_external,
    init,
    ipc_collect,
    is_initialized,
    set_device,
    set_stream,
    stream,
    synchronize,
)
from gpukit.cuda._debug import get_sync_debug_mode, set_sync_debug_mode
from gpukit.cuda._graphs import graph, is_current_stream_capturing
from gpukit.cuda._memory import (
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from gpukit.cuda._properties import (
    DeviceProperties,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_gencode_flags,
    is_bf16_supported,
    is_tf32_supported,
)
from gpukit.cuda._raw_kernel import RawKernel
from gpukit.cuda._raw_module import RawModule
from gpukit.cuda._readings import (
    clock_rate,
    list_gpu_processes,
    memory_usage,
    power_draw,
    temperature,
    utilization,
)
from gpukit.cuda._seeding import (
    get_rng_state,
    get_rng_state_all,
    manual_seed,
    manual_seed_all,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from gpukit.errors import OutOfMemoryError
from gpukit.random import initial_seed, seed

__all__ = [
    "CUDAGraph",
    "DeviceProperties",
    "Event",
    "ExternalStream",
    "OutOfMemoryError",
    "RawKernel",
    "RawModule",
    "Stream",
    "StreamContext",
    "can_device_access_peer",
    "clock_rate",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_allocator_backend",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_gencode_flags",
    "get_per_process_memory_fraction",
    "get_rng_state",
    "get_rng_state_all",
    "get_stream_from_external",
    "get_sync_debug_mode",
    "graph",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "is_tf32_supported",
    "list_gpu_processes",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "memory_usage",
    "power_draw",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
    "temperature",
    "utilization",
    "why_unavailable",
]


_OF_MEMORY = ("memory_history", "memory_snapshot", "record_memory_history")
_MODULES = ("amp", "memory", "nccl", "nvtx")  # loaded when they are first named


def device_count() -> int:
    """Return the number of CUDA devices, without starting the driver in this process.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.device_count() >= 0
        True
    """
    return counting.device_count()


def why_unavailable() -> str | None:
    """Return why no CUDA device can be used, or None if the current one works. Starts the driver.

    The text ends with what to do about it.

    Example:
        >>> import gpukit
        >>> (gpukit.cuda.why_unavailable() is None) == gpukit.cuda.is_available()
        True
    """
    from gpukit import _core

    fault = _device.fault_at(_core.current_cuda_index())
    return _device.with_fix(fault) if fault else None


def is_available() -> bool:
    """Return True when a kernel returned the right result on the current device. Starts the driver.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_available() in (True, False)
        True
    """
    from gpukit import _core

    return not _device.fault_at(_core.current_cuda_index())


def __getattr__(name: str) -> Any:
    if name in _OF_MEMORY:
        return getattr(import_module("gpukit.cuda.memory"), name)
    if name == "default_generators":
        from gpukit.random import default_generator

        return (default_generator,) * device_count()  # one serves all devices
    if name in _MODULES:
        return import_module(f"gpukit.cuda.{name}")
    if name.endswith("Tensor"):
        from gpukit._tensors.legacy import CUDA_TYPES

        if name in CUDA_TYPES:
            return CUDA_TYPES[name]
    from gpukit._names.suggest import no_attribute

    return no_attribute(__name__, name)

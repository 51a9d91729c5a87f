"""gpukit: what this machine can compute on, measured; tensors on CPU and GPU with torch's names.

Importing loads one extension and nothing else: no driver, no thread, no NumPy. Tools such as `gpukit.bench` are
loaded when they are first named.
"""

from __future__ import annotations

import atexit as _atexit
import importlib as _importlib
from typing import Any as _Any

from gpukit import _core, _device, errors
from gpukit._core import *  # noqa: F403
from gpukit._device import (
    cpu,
    devices,
    gpu,
    num_gpus,
    require_gpus,
    try_all_gpus,
    try_gpu,
)
from gpukit.errors import (
    AutogradError,
    BenchError,
    CheckpointError,
    DeviceError,
    DeviceMismatchError,
    DeviceNotFoundError,
    DriverError,
    DTypeError,
    GpukitError,
    GpukitWarning,
    InvalidDeviceError,
    OutOfMemoryError,
    ShapeError,
    SimulationError,
    TransferError,
)

_atexit.register(_core.mark_exiting)

__version__: str = _core.build_info()["version"]

_CORE_ONLY = {
    "Event",
    "Stream",
    "build_info",
    "can_access_peer",
    "cuda_device_count",
    "cuda_is_simulated",
    "current_cuda_index",
    "current_stream",
    "default_generator",
    "default_stream",
    "device_properties",
    "driver_report",
    "empty_cache",
    "entry_points",
    "environment_table",
    "external_stream",
    "in_forked_child",
    "kernel_images",
    "mark_exiting",
    "mem_get_info",
    "memory_limit",
    "memory_stats",
    "pinned_memory_stats",
    "prepare_cuda",
    "replace_session",
    "reset_peak_memory_stats",
    "reset_session",
    "session_id",
    "session_is_open",
    "set_cpu_blas_path",
    "set_current_cuda",
    "set_library_folders",
    "set_memory_limit",
    "set_stream",
    "switch_cuda_index",
    "tensor_from_bytes",
}

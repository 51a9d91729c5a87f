"""Numbers and names of errors that people paste, and the row of the catalogue for each."""

from __future__ import annotations

import re

# CUDA's driver and run-time library share these numbers: number -> (name, row).
CUDA = {
    2: ("OUT_OF_MEMORY", "oom-other-process"),
    3: ("NOT_INITIALIZED", "fork-after-init"),
    34: ("STUB_LIBRARY", "stub-libcuda-loaded"),
    35: ("INSUFFICIENT_DRIVER", "driver-too-old"),
    46: ("DEVICE_UNAVAILABLE", "compute-mode-exclusive"),
    48: ("NO_KERNEL_IMAGE of old releases", "arch-not-in-wheel-old"),
    100: ("NO_DEVICE", "no-device-shown"),
    101: ("INVALID_DEVICE", "cvd-hides-all"),
    102: ("DEVICE_NOT_LICENSED", "vgpu-unlicensed"),
    209: ("NO_BINARY_FOR_GPU", "arch-not-in-wheel-old"),
    214: ("ECC_UNCORRECTABLE", "ecc-or-row-remap"),
    222: ("UNSUPPORTED_PTX_VERSION", "colab-ptx-newer-than-driver"),
    302: ("SHARED_OBJECT_SYMBOL_NOT_FOUND", "driver-not-installed"),
    303: ("SHARED_OBJECT_INIT_FAILED", "driver-not-installed"),
    304: ("OPERATING_SYSTEM", "device-permission"),
    700: ("ILLEGAL_ADDRESS", "context-poisoned"),
    710: ("ASSERT", "context-poisoned"),
    719: ("LAUNCH_FAILED", "context-poisoned"),
    802: ("SYSTEM_NOT_READY", "fabric-manager-missing"),
    803: ("SYSTEM_DRIVER_MISMATCH", "driver-library-mismatch"),
    804: ("COMPAT_NOT_SUPPORTED_ON_DEVICE", "compat-on-geforce"),
    805: ("MPS_CONNECTION_FAILED", "mps-daemon-trouble"),
    806: ("MPS_RPC_FAILURE", "mps-daemon-trouble"),
    807: ("MPS_SERVER_NOT_READY", "mps-daemon-trouble"),
    808: ("MPS_MAX_CLIENTS_REACHED", "mps-daemon-trouble"),
    809: ("MPS_MAX_CONNECTIONS_REACHED", "mps-daemon-trouble"),
    999: ("UNKNOWN", "uvm-node-missing"),
}
NVML = {
    4: ("NO_PERMISSION", "device-permission"),
    9: ("DRIVER_NOT_LOADED", "module-not-loaded"),
    12: ("LIBRARY_NOT_FOUND", "driver-not-installed"),
    15: ("GPU_IS_LOST", "gpu-fell-off-bus"),
    16: ("RESET_REQUIRED", "ecc-or-row-remap"),
    17: ("OPERATING_SYSTEM", "wsl-docker-blocked"),
    18: ("LIB_RM_VERSION_MISMATCH", "driver-library-mismatch"),
    999: ("UNKNOWN", "container-lost-gpu"),
}
HIP = {
    98: ("InvalidDeviceFunction", "rocm-gfx-unsupported"),
    100: ("NoDevice", "rocm-no-kfd"),
    101: ("InvalidDevice", "rocm-kfd-permission"),
    209: ("NoBinaryForGpu", "rocm-gfx-unsupported"),
}
# A number counts when such a word stands shortly before it on its line.
_NUMBERS = (
    (re.compile(r"nvml\w*[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), NVML),
    (re.compile(r"\bhip\w*[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), HIP),
    (
        re.compile(
            r"(?:\bcu(?:da)?[A-Z]\w*(?:\(\d*\))?|CUDA (?:driver )?error|cuda error|CUDA_ERROR_\w+)"
            r"[^\n\d]{0,40}\b(\d{1,3})\b"
        ),
        CUDA,
    ),
)
_NAME = re.compile(r"(?:CUDA|NVML)_ERROR_([A-Z_]+)")


def rows_of_codes(text: str) -> list[tuple[int, str]]:
    """(place in the text, row) for each number or name of an error, the earliest first."""
    hits = [
        (match.start(), table[int(match.group(1))][1])
        for pattern, table in _NUMBERS
        for match in pattern.finditer(text)
        if int(match.group(1)) in table
    ]
    names = {name: row for table in (CUDA, NVML) for name, row in table.values()}
    hits += [(m.start(), names[m.group(1)]) for m in _NAME.finditer(text) if m.group(1) in names]
    return sorted(hits)

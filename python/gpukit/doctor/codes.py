"""Numbers and names of errors that people paste, and the row of the catalogue for each."""

from __future__ import annotations

import re

# CUDA's driver and run-time library share these numbers: number -> (name, row).
CUDA = {
    2: ("OUT_OF_MEMORY", "own-memory-full"),
    3: ("NOT_INITIALIZED", "fork-after-init"),
    34: ("STUB_LIBRARY", "stub-libcuda-loaded"),
    35: ("INSUFFICIENT_DRIVER", "driver-too-old"),
    46: ("DEVICE_UNAVAILABLE", "device-busy"),
    48: ("NO_KERNEL_IMAGE of old releases", "no-code-for-card"),
    100: ("NO_DEVICE", "no-gpu-visible"),
    101: ("INVALID_DEVICE", "device-index-too-large"),
    102: ("DEVICE_NOT_LICENSED", "vgpu-unlicensed"),
    209: ("NO_BINARY_FOR_GPU", "no-code-for-card"),
    214: ("ECC_UNCORRECTABLE", "ecc-or-row-remap"),
    222: ("UNSUPPORTED_PTX_VERSION", "ptx-newer-than-driver"),
    302: ("SHARED_OBJECT_SYMBOL_NOT_FOUND", "no-driver-found"),
    303: ("SHARED_OBJECT_INIT_FAILED", "no-driver-found"),
    304: ("OPERATING_SYSTEM", "device-permission"),
    700: ("ILLEGAL_ADDRESS", "illegal-access"),
    710: ("ASSERT", "index-out-of-range"),
    719: ("LAUNCH_FAILED", "launch-failure"),
    802: ("SYSTEM_NOT_READY", "fabric-manager-missing"),
    803: ("SYSTEM_DRIVER_MISMATCH", "driver-library-mismatch"),
    804: ("COMPAT_NOT_SUPPORTED_ON_DEVICE", "compat-on-geforce"),
    805: ("MPS_CONNECTION_FAILED", "mps-daemon-trouble"),
    806: ("MPS_RPC_FAILURE", "mps-daemon-trouble"),
    807: ("MPS_SERVER_NOT_READY", "mps-daemon-trouble"),
    808: ("MPS_MAX_CLIENTS_REACHED", "mps-daemon-trouble"),
    809: ("MPS_MAX_CONNECTIONS_REACHED", "mps-daemon-trouble"),
    999: ("UNKNOWN", "driver-state-unknown"),
}
NVML = {
    4: ("NO_PERMISSION", "device-permission"),
    9: ("DRIVER_NOT_LOADED", "module-not-loaded"),
    12: ("LIBRARY_NOT_FOUND", "no-driver-found"),
    15: ("GPU_IS_LOST", "gpu-fell-off-bus"),
    16: ("RESET_REQUIRED", "ecc-or-row-remap"),
    17: ("OPERATING_SYSTEM", "wsl-gpu-blocked"),
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
    (re.compile(r"nvml\w{0,40}\W[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), NVML),
    (re.compile(r"\bhip\w{0,40}\W[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), HIP),
    (
        re.compile(
            r"(?:\bcu(?:da)?[A-Z]\w{0,40}(?:\(\d{0,3}\))?|[Cc][Uu][Dd][Aa] (?:driver "
            r"|runtime )?(?:error|failure)|CUDA_ERROR_\w{1,50})"
            r"[^\n\d]{0,40}\b(\d{1,3})\b"
        ),
        CUDA,
    ),
)
_NAME = re.compile(r"(CUDA|NVML)_ERROR_([A-Z_]{1,50})")


def rows_of_codes(text: str) -> list[tuple[tuple[int, int], str]]:
    """(span in the text, cause) for each number or name of an error, the earliest first."""
    hits = [
        (match.span(), table[int(match.group(1))][1])
        for pattern, table in _NUMBERS
        for match in pattern.finditer(text)
        if int(match.group(1)) in table
    ]
    for match in _NAME.finditer(text):
        table = CUDA if match.group(1) == "CUDA" else NVML
        named = dict(table.values())
        if match.group(2) in named:
            hits.append((match.span(), named[match.group(2)]))
    return sorted(hits)

"""Numbers and names of errors that people paste, and the row of the catalogue for each."""

from __future__ import annotations

import re

# CUDA's driver and run-time library share these numbers: number -> (name, row).
CUDA = {
    1: ("INVALID_VALUE", "invalid-argument"),
    2: ("OUT_OF_MEMORY", "own-memory-full"),
    3: ("NOT_INITIALIZED", "fork-after-init"),
    4: ("DEINITIALIZED", "process-ending"),
    9: ("INVALID_CONFIGURATION of the run-time library", "launch-too-large"),
    34: ("STUB_LIBRARY", "stub-libcuda-loaded"),
    35: ("INSUFFICIENT_DRIVER", "driver-too-old"),
    36: ("CALL_REQUIRES_NEWER_DRIVER", "driver-too-old"),
    46: ("DEVICE_UNAVAILABLE", "device-busy"),
    48: ("NO_KERNEL_IMAGE of old releases", "no-code-for-card"),
    98: ("INVALID_DEVICE_FUNCTION", "no-code-for-card"),
    100: ("NO_DEVICE", "no-gpu-visible"),
    101: ("INVALID_DEVICE", "device-index-too-large"),
    102: ("DEVICE_NOT_LICENSED", "vgpu-unlicensed"),
    200: ("INVALID_IMAGE", "no-code-for-card"),
    201: ("INVALID_CONTEXT", "invalid-handle"),
    209: ("NO_BINARY_FOR_GPU", "no-code-for-card"),
    214: ("ECC_UNCORRECTABLE", "ecc-or-row-remap"),
    217: ("PEER_ACCESS_UNSUPPORTED", "peer-access-missing"),
    218: ("INVALID_PTX", "ptx-newer-than-driver"),
    220: ("NVLINK_UNCORRECTABLE", "xid-nvlink"),
    221: ("JIT_COMPILER_NOT_FOUND", "driver-files-incomplete"),
    222: ("UNSUPPORTED_PTX_VERSION", "ptx-newer-than-driver"),
    302: ("SHARED_OBJECT_SYMBOL_NOT_FOUND", "no-driver-found"),
    303: ("SHARED_OBJECT_INIT_FAILED", "no-driver-found"),
    304: ("OPERATING_SYSTEM", "driver-state-unknown"),
    400: ("INVALID_HANDLE", "invalid-handle"),
    700: ("ILLEGAL_ADDRESS", "illegal-access"),
    701: ("LAUNCH_OUT_OF_RESOURCES", "launch-too-large"),
    702: ("LAUNCH_TIMEOUT", "launch-timeout"),
    705: ("PEER_ACCESS_NOT_ENABLED", "peer-access-missing"),
    709: ("CONTEXT_IS_DESTROYED", "process-ending"),
    710: ("ASSERT", "index-out-of-range"),
    714: ("HARDWARE_STACK_ERROR", "launch-failure"),
    715: ("ILLEGAL_INSTRUCTION", "launch-failure"),
    716: ("MISALIGNED_ADDRESS", "misaligned-address"),
    717: ("INVALID_ADDRESS_SPACE", "illegal-access"),
    718: ("INVALID_PC", "launch-failure"),
    719: ("LAUNCH_FAILED", "launch-failure"),
    720: ("COOPERATIVE_LAUNCH_TOO_LARGE", "launch-too-large"),
    801: ("NOT_SUPPORTED", "operation-not-supported"),
    802: ("SYSTEM_NOT_READY", "fabric-manager-missing"),
    803: ("SYSTEM_DRIVER_MISMATCH", "driver-library-mismatch"),
    804: ("COMPAT_NOT_SUPPORTED_ON_DEVICE", "compat-on-geforce"),
    805: ("MPS_CONNECTION_FAILED", "mps-daemon-trouble"),
    806: ("MPS_RPC_FAILURE", "mps-daemon-trouble"),
    807: ("MPS_SERVER_NOT_READY", "mps-daemon-trouble"),
    808: ("MPS_MAX_CLIENTS_REACHED", "mps-daemon-trouble"),
    809: ("MPS_MAX_CONNECTIONS_REACHED", "mps-daemon-trouble"),
    900: ("STREAM_CAPTURE_UNSUPPORTED", "work-during-capture"),
    901: ("STREAM_CAPTURE_INVALIDATED", "work-during-capture"),
    906: ("STREAM_CAPTURE_IMPLICIT", "work-during-capture"),
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
# A number counts if such a word comes shortly before it on the line.
_NUMBERS = (
    (re.compile(r"nvml\w{0,40}\W[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), NVML),
    (re.compile(r"\[(\d{1,3})\] Call to cu"), CUDA),
    (re.compile(r"\bhip\w{0,40}\W[^\n\d]{0,40}\b(\d{1,3})\b", re.IGNORECASE), HIP),
    (
        re.compile(
            r"(?:\bcu(?:da)?[A-Z]\w{0,40}(?:\(\d{0,3}\))?|[Cc][Uu][Dd][Aa] "
            r"(?:driver |runtime |initialization )?(?:error|failure)|CUDA_ERROR_\w{1,50})"
            r"[^\n\d]{0,40}(?<!\.cc:)(?<!\.cu:)(?<!cpp:)(?<!\.py:)\b(\d{1,3})\b(?!\.\d)"
        ),
        CUDA,
    ),
)
_DIGIT = re.compile("[0-9]")
_NAME = re.compile(r"(CUDA|NVML)_ERROR_([A-Z_]{1,50})")


def rows_of_codes(text: str) -> list[tuple[tuple[int, int], str]]:
    """(span in the text, cause) for each number or name of an error, the earliest first."""
    hits = [
        (match.span(), table[int(match.group(1))][1])
        for pattern, table in (_NUMBERS if _DIGIT.search(text) else ())
        for match in pattern.finditer(text)
        if int(match.group(1)) in table
    ]
    for match in _NAME.finditer(text):
        table = CUDA if match.group(1) == "CUDA" else NVML
        named = dict(table.values())
        if match.group(2) in named:
            hits.append((match.span(), named[match.group(2)]))
    return sorted(hits)

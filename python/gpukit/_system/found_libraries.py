"""CUDA's libraries on this machine: version and place, by files and package metadata."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from gpukit._system.machine import Machine

_FOLDERS = (
    "/usr/lib64-nvidia",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
)
# Name for people -> (pattern of the file, names of NVIDIA's wheels).
_KNOWN = {
    "cuBLAS": ("libcublas.so.*", ("nvidia-cublas", "nvidia-cublas-cu13", "nvidia-cublas-cu12")),
    "cuDNN": ("libcudnn.so.*", ("nvidia-cudnn-cu13", "nvidia-cudnn-cu12")),
    "NCCL": ("libnccl.so.*", ("nvidia-nccl-cu13", "nvidia-nccl-cu12")),
    "NVRTC": ("libnvrtc.so.*", ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")),
    "CUDA runtime": ("libcudart.so.*", ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12")),
    "driver": ("libcuda.so.1", ()),
    "NVML": ("libnvidia-ml.so.1", ()),
}


def without_home(text: str) -> str:
    """A path or text with the user's home as `~`."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _file_version(machine: Machine, place: str) -> str:
    """The longest version that the file's links lead to."""
    try:
        target = machine.path(place).resolve().name
    except (OSError, RuntimeError):
        target = PurePosixPath(place).name
    found = re.search(r"\.so\.(\d+(?:\.\d+)*)$", target)
    return found.group(1) if found else ""


def _on_disk(machine: Machine, pattern: str) -> dict[str, str] | None:
    for folder in _FOLDERS:
        places = [p for p in machine.glob(f"{folder}/{pattern}") if "static" not in p]
        if places:
            version = max((_file_version(machine, place) for place in places), key=len)
            return {"version": version, "place": without_home(places[0])}
    return None


def found_libraries(machine: Machine) -> dict[str, dict[str, Any] | None]:
    """Library -> its version and place; None for one that is nowhere. Wheels come first."""
    found: dict[str, dict[str, Any] | None] = {}
    for name, (pattern, wheels) in _KNOWN.items():
        versions = ((wheel, machine.version_of(wheel)) for wheel in wheels)
        wheel = next(((w, v) for w, v in versions if v), None)
        found[name] = (
            {"version": wheel[1], "place": f"wheel {wheel[0]}"}
            if wheel
            else _on_disk(machine, pattern)
        )
    return found

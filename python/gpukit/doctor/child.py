"""Runs in a process of its own: files, then NVML, then the driver, then a kernel on each device.

One JSON line after each stage, so that a stage that hangs or crashes leaves those before it.
"""

from __future__ import annotations

import ctypes
import json
import stat
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gpukit.doctor.evidence import Cuda, Evidence, Nvml

_TEXT_BYTES = 96
_COMPUTE_MODES = {0: "default", 2: "prohibited", 3: "exclusive process"}


def _say(stage: str, data: Any) -> None:
    sys.stdout.write(json.dumps({"stage": stage, "data": data}) + "\n")
    sys.stdout.flush()


def _trusted(place: str) -> bool:
    """A file of a system folder that not every user can write."""
    if "/stubs/" in place or "/compat" in place:
        return False
    try:
        modes = [path.stat().st_mode for path in (Path(place), Path(place).parent)]
    except OSError:
        return False
    return not any(mode & stat.S_IWOTH for mode in modes)


class _Memory(ctypes.Structure):
    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


def _ask_device(library: Any, index: int) -> dict[str, Any]:
    """Name, memory, mode and MIG of one device; what it does not tell is left out."""
    handle, text = ctypes.c_void_p(), ctypes.create_string_buffer(_TEXT_BYTES)
    record: dict[str, Any] = {"index": index, "name": "a GPU that does not answer"}
    if library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) != 0:
        return record
    if library.nvmlDeviceGetName(handle, text, _TEXT_BYTES) == 0:
        record["name"] = text.value.decode("utf-8", "replace")
    memory = _Memory()
    if library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == 0:
        record["memory_total"], record["memory_free"] = int(memory.total), int(memory.free)
        record["memory_used"] = int(memory.used)
    mode = ctypes.c_uint()
    if library.nvmlDeviceGetComputeMode(handle, ctypes.byref(mode)) == 0:
        record["compute_mode"] = _COMPUTE_MODES.get(mode.value, str(mode.value))
    return record


def ask_nvml(places: list[str]) -> Nvml:
    """Starts the first trusted NVML and reads a few things of each device."""
    place = next((place for place in places if _trusted(place)), "")
    if not place:
        return Nvml(reason="no NVML library in a trusted folder")
    try:
        library = ctypes.CDLL(place)
        status = int(library.nvmlInit_v2())
    except (OSError, AttributeError) as error:
        return Nvml(place, None, reason=str(error))
    if status != 0:
        return Nvml(place, status)
    text, count = ctypes.create_string_buffer(_TEXT_BYTES), ctypes.c_uint()
    library.nvmlSystemGetDriverVersion(text, _TEXT_BYTES)
    library.nvmlDeviceGetCount_v2(ctypes.byref(count))
    gpus = [_ask_device(library, index) for index in range(count.value)]
    library.nvmlShutdown()
    return Nvml(place, status, text.value.decode("ascii", "replace"), gpus)


def _device_record(index: int, verdict: str) -> dict[str, Any]:
    from gpukit import _core

    properties = _core.device_properties(index)
    return {
        "index": index,
        "name": properties["name"],
        "capability": f"{properties['major']}.{properties['minor']}",
        "kernel": verdict,
    }


def ask_cuda() -> Cuda:
    """Opens and starts the driver through gpukit's own loader."""
    from gpukit import _core

    report = _core.driver_report()
    return Cuda(
        library=str(report["library"]),
        version=int(report["driver_version"]),
        failure=str(report["failure"]),
        fix=str(report["fix"]),
        simulated=bool(report["simulated"]),
        refused=[
            f"{attempt['path']}: {attempt['reason']}"
            for attempt in report["attempts"]
            if attempt["outcome"] == "refused"
        ],
    )


def _wrong_peers(count: int) -> list[str]:
    """Copies between each ordered pair of devices, compared."""
    import gpukit

    expected = float(sum(range(4096)))
    wrong = []
    for source in range(count):
        for target in range(count):
            if source == target:
                continue
            numbers = gpukit.arange(4096, dtype="float32", device=f"cuda:{source}")
            if numbers.to(f"cuda:{target}").sum().item() != expected:
                wrong.append(f"cuda:{source} -> cuda:{target}: the copy differs")
    return wrong


def run_stages(evidence: Evidence, deep: bool) -> None:
    """All stages in order; each says what it found."""
    from gpukit import _core, _device, _env

    _say("files", asdict(evidence))
    if not _env.text("GPUKIT_SIMULATE"):
        _say("start", "NVML")
        _say("nvml", asdict(ask_nvml([file.place for file in evidence.nvml_files])))
    _say("start", "the CUDA driver")
    cuda = ask_cuda()
    _say("cuda", asdict(cuda))
    count = 0 if cuda.failure else _core.cuda_device_count()
    for index in range(count):
        _say("start", f"a kernel on cuda:{index}")
        _say("device", _device_record(index, _device.why_unusable(index)))
    if deep and count > 1:
        _say("start", "copies between GPUs")
        _say("peers", _wrong_peers(count))
    _say("end", None)


def main() -> None:
    """The entry of the child; `--deep` also copies between all pairs of GPUs."""
    from gpukit._machine import Machine
    from gpukit.doctor.probes import gather_files

    run_stages(gather_files(Machine()), deep="--deep" in sys.argv)


if __name__ == "__main__":
    main()

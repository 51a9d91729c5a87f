"""Runs in a separate process: files, then NVML, then the driver, then a kernel on each device.

One JSON line after each stage, so that a stage that hangs or crashes leaves those before it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from gpukit.doctor.evidence import Cuda, Evidence, Nvml

_NVML_SECONDS = 10.0
# Reasons for a low clock that can be fixed; idle and the power limit are ordinary.
_SLOWING = ("hardware slowdown", "heat (hardware)", "heat (software)", "power brake")


def _report(stage: str, data: Any) -> None:
    sys.stdout.write(json.dumps({"stage": stage, "data": data}) + "\n")
    sys.stdout.flush()


def _gpu_record(gpu: Any) -> dict[str, Any]:
    """What the checks read about one GPU."""
    owned = [process.memory for process in gpu.processes or [] if process.memory is not None]
    reasons = [reason for reason in gpu.throttle_reasons or [] if reason in _SLOWING]
    return {
        "index": gpu.index,
        "name": gpu.name or "",
        "silent": gpu.missing.get("name", ""),
        "silent_status": gpu.missing_status.get("name"),
        "memory_total": gpu.memory_total,
        "memory_free": gpu.memory_free,
        "memory_used": gpu.memory_used,
        "memory_of_processes": sum(owned),
        "compute_mode": gpu.compute_mode,
        "mig": bool(gpu.mig_mode),
        "mig_devices": len(gpu.mig or []),
        "throttled": ", ".join(reasons),
    }


def ask_nvml() -> Nvml:
    """Starts NVML as the monitor does: only a checked file, by its absolute path."""
    from gpukit.monitor._snapshot import snapshot
    from gpukit.monitor.nvml import NvmlFault, library

    try:
        place = library(_NVML_SECONDS).path
    except NvmlFault as fault:
        return Nvml(status=fault.code or None, reason=fault.reason)
    taken = snapshot()
    gpus = [_gpu_record(gpu) for gpu in taken.gpus]
    return Nvml(place, 0, taken.driver or "", gpus, taken.reason)


def _device_record(index: int) -> dict[str, Any]:
    from gpukit import _core, _device
    from gpukit.errors import GpukitError

    fault, name, capability = _device.fault_at(index), "unknown", ""
    try:
        properties = _core.device_properties(index)
    except GpukitError as error:
        fault = fault or _device.fault_of(error)
    else:
        name = properties["name"]
        capability = f"{properties['major']}.{properties['minor']}"
    return {
        "index": index,
        "name": name,
        "capability": capability,
        "kernel": fault.text,
        "status": fault.details.get("status"),
        "cause": fault.details.get("cause", ""),
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
        status=report["details"].get("status"),
        cause=report["details"].get("cause", ""),
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
    from gpukit import _core

    _report("files", asdict(evidence))
    _report("start", "NVML")
    _report("nvml", asdict(ask_nvml()))
    _report("start", "the CUDA driver")
    cuda = ask_cuda()
    _report("cuda", asdict(cuda))
    count = 0 if cuda.failure else _core.cuda_device_count()
    for index in range(count):
        _report("start", f"a kernel on cuda:{index}")
        _report("device", _device_record(index))
    if deep and count > 1:
        _report("start", "copies between GPUs")
        _report("peers", _wrong_peers(count))
    _report("end", None)


def main() -> None:
    """The entry of the child; `--deep` also copies between all pairs of GPUs."""
    from gpukit._system.machine import Machine
    from gpukit.doctor.probes import gather_files

    run_stages(gather_files(Machine()), deep="--deep" in sys.argv)


if __name__ == "__main__":
    main()

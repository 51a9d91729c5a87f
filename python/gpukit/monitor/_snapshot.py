"""What every GPU is doing at one moment."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from gpukit import _core
from gpukit.monitor.calls import make_reader
from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.gpu_tables import gpu_table
from gpukit.monitor.nvml import Library, NvmlFault, library
from gpukit.monitor.reading import TOTAL_SECONDS, Reading, ask
from gpukit.monitor.running import GpuProcess, make_processes
from gpukit.report import Table, Tabular

_SEEN_NOTHING = "the GPU gave no such number"


@dataclass(repr=False)
class Snapshot(Tabular):
    """All GPUs at one moment. `reason` says why there is none, or that a simulation runs.

    Example:
        >>> import gpukit
        >>> taken = gpukit.monitor.snapshot()
        >>> bool(taken.gpus) or bool(taken.reason)
        True
    """

    gpus: list[GpuState]
    time: float
    seconds: float
    driver: str | None = None
    reason: str = ""
    simulated: bool = False

    @property
    def processes(self) -> list[GpuProcess]:
        """The processes of all GPUs."""
        return [process for gpu in self.gpus for process in gpu.processes or []]

    def of(self, device: Any) -> GpuState:
        """The state of a CUDA device; DeviceNotFoundError when NVML does not show it."""
        from gpukit.errors import DeviceNotFoundError

        index = _core.device(device).resolve().index
        _core.device_properties(0 if index is None else index)  # its own errors come first
        for gpu in self.gpus:
            if index is not None and gpu.cuda_index == index:
                return gpu
        reason = self.reason or "NVML shows no GPU of its UUID"
        raise DeviceNotFoundError(f"monitor: nothing is known of {device}: {reason}")

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict, with the number of the schema."""
        gpus = [gpu.to_dict() for gpu in self.gpus]
        return {"schema": 1, **asdict(self), "gpus": gpus}

    def to_json(self) -> str:
        """`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), indent=2)

    def to_table(self) -> Table:
        """One line a GPU."""
        return gpu_table(self.title, self.gpus, self.reason)

    @property
    def title(self) -> str:
        """One line with the driver and the kind of GPUs."""
        if not self.gpus:
            return "GPUs: none"
        kind = "simulated GPUs" if self.simulated else "GPUs"
        return f"{kind}, driver {self.driver}" if self.driver else kind


def snapshot() -> Snapshot:
    """Read every GPU that NVML sees, in less than a second, whatever the driver does.

    A call that fails or hangs costs its own fields only: they are None, and `missing` holds the
    reason. Without a driver there are no GPUs and `.reason` says why. Starts no CUDA context.

    Example:
        >>> import gpukit
        >>> gpukit.monitor.snapshot().seconds < 1
        True
    """
    started = time.monotonic()
    deadline = started + TOTAL_SECONDS
    taken = Snapshot([], time.time(), 0.0)
    try:
        nvml = library(TOTAL_SECONDS)
        count = int(ask(nvml, "nvmlDeviceGetCount", deadline - time.monotonic()))
        taken.gpus = _read_gpus(nvml, count, deadline)
        taken.driver = _driver_version(nvml, deadline)
        taken.reason = "" if count else "NVML sees no GPU"
    except NvmlFault as fault:
        taken.reason = fault.reason
    _join_with_cuda(taken)
    taken.seconds = time.monotonic() - started
    return taken


def _driver_version(nvml: Library, deadline: float) -> str | None:
    try:
        return str(ask(nvml, "nvmlSystemGetDriverVersion", max(0.05, deadline - time.monotonic())))
    except NvmlFault:
        return None


def _read_gpus(nvml: Library, count: int, deadline: float) -> list[GpuState]:
    for index in range(count):
        if index not in nvml.readers:
            nvml.readers[index] = make_reader(nvml, index)
    readings = [nvml.readers[index].begin() for index in range(count)]
    for reading in readings:
        reading.finish(deadline)
    return [_make_state(index, reading) for index, reading in enumerate(readings)]


def _make_state(index: int, reading: Reading) -> GpuState:
    values, missing = reading.values, reading.missing
    running = [values.pop(f"{kind}_processes", None) for kind in ("compute", "graphics")]
    reasons = [missing.pop(f"{kind}_processes", "") for kind in ("compute", "graphics")]
    codes = reading.missing_status
    code, _ = (codes.pop(f"{kind}_processes", 0) for kind in ("compute", "graphics"))
    state = GpuState(index, **values, missing=missing, missing_status=codes)
    if reasons[0]:
        missing["processes"] = reasons[0]
        codes.update({"processes": code} if code else {})
    else:
        state.processes = make_processes(index, [*(running[0] or []), *(running[1] or [])])
    for name in reading.fields:  # a call may succeed without a value
        if getattr(state, name, 0) is None:
            missing.setdefault(name, _SEEN_NOTHING)
    return state


def _join_with_cuda(taken: Snapshot) -> None:
    """CUDA's number of each GPU, by UUID: its order is not NVML's. Starts nothing."""
    if not _core.session_is_open():
        return
    taken.simulated = _core.cuda_is_simulated()
    numbers = {
        str(_core.device_properties(index)["uuid"]): index
        for index in range(_core.cuda_device_count())
    }
    for gpu in taken.gpus:
        gpu.cuda_index = numbers.get(gpu.uuid or "")
        for part in gpu.mig or []:
            part.cuda_index = numbers.get(part.uuid or "")

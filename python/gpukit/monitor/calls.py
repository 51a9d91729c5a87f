"""The NVML calls for each field of a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpukit.monitor.nvml import Library, NvmlFault
from gpukit.monitor.reading import Reader, Step
from gpukit.monitor.running import COMPUTE, GRAPHICS

_COMPUTE_MODES = ("default", "exclusive_thread", "prohibited", "exclusive_process")
_THROTTLE_BITS = (
    (0x001, "idle"),
    (0x002, "clocks set by an application"),
    (0x004, "power limit"),
    (0x008, "hardware slowdown"),
    (0x010, "synchronised boost"),
    (0x020, "heat (software)"),
    (0x040, "heat (hardware)"),
    (0x080, "power brake"),
    (0x100, "display clocks"),
)
_UNKNOWN_32 = 0xFFFFFFFF
_UNKNOWN_64 = 0xFFFFFFFFFFFFFFFF
_PERCENT = 100
_MEMORY = ("memory_total", "memory_used", "memory_free", "memory_reserved")
_UTILIZATION = ("utilization", "memory_utilization")


@dataclass
class MigInstance:
    """A part of a GPU under MIG. Memory in bytes.

    Example:
        >>> import gpukit
        >>> gpukit.monitor.MigInstance(index=0).memory_used is None
        True
    """

    index: int
    uuid: str | None = None
    name: str | None = None
    memory_total: int | None = None
    memory_used: int | None = None
    cuda_index: int | None = None


def _number(value: Any) -> int | None:
    """The number, or None for NVML's "no value"."""
    number = int(value)
    return None if number in {_UNKNOWN_32, _UNKNOWN_64} else number


def _percent(value: Any) -> int | None:
    """Some drivers return garbage above 100."""
    number = _number(value)
    return None if number is None or number > _PERCENT else number


def _milli(value: Any) -> float | None:
    """W of mW, and J of mJ."""
    number = _number(value)
    return None if number is None else number / 1000


def _simple(nvml: Library, call: str, name: str, convert: Any = _number, *more: Any) -> Step:
    """A call that returns one field."""
    return Step(call, (name,), lambda handle: {name: convert(nvml.call(call, handle, *more))})


def _memory(nvml: Library, handle: Any) -> dict[str, Any]:
    """Version 2 keeps what the driver reserves apart from what is used; old drivers lack it."""
    try:
        info = nvml.call("nvmlDeviceGetMemoryInfo", handle, version=nvml.constant("nvmlMemory_v2"))
        reserved = _number(info.reserved)
    except NvmlFault as fault:
        if fault.code not in {2, 3, 13, 25}:
            raise
        info = nvml.call("nvmlDeviceGetMemoryInfo", handle)
        reserved = None
    return {
        "memory_total": _number(info.total),
        "memory_used": _number(info.used),
        "memory_free": _number(info.free),
        "memory_reserved": reserved,
    }


def _utilization(nvml: Library, handle: Any) -> dict[str, Any]:
    rates = nvml.call("nvmlDeviceGetUtilizationRates", handle)
    return {"utilization": _percent(rates.gpu), "memory_utilization": _percent(rates.memory)}


def _throttling(nvml: Library, handle: Any) -> dict[str, Any]:
    bits = nvml.newest(
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
        arguments=(handle,),
    )
    return {"throttle_reasons": [text for bit, text in _THROTTLE_BITS if int(bits) & bit]}


def _mode_name(value: Any) -> str:
    number = int(value)
    return _COMPUTE_MODES[number] if 0 <= number < len(_COMPUTE_MODES) else str(number)


def _running(nvml: Library, kind: str) -> Step:
    """The processes of one kind as (pid, memory, kind)."""
    stem = f"nvmlDeviceGet{kind.title()}RunningProcesses"
    name = f"{kind}_processes"

    def read(handle: Any) -> dict[str, Any]:
        entries = nvml.newest(f"{stem}_v3", f"{stem}_v2", arguments=(handle,))
        return {name: [(int(entry.pid), entry.usedGpuMemory, kind) for entry in entries]}

    return Step(stem, (name,), read)


def _mig(nvml: Library, handle: Any) -> dict[str, Any]:
    try:
        mode = bool(nvml.call("nvmlDeviceGetMigMode", handle)[0])
    except NvmlFault as fault:
        if fault.code not in {3, 13}:
            raise
        mode = False  # a card or a driver that knows no MIG
    parts = []
    for index in range(int(nvml.call("nvmlDeviceGetMaxMigDeviceCount", handle)) if mode else 0):
        try:
            part = nvml.call("nvmlDeviceGetMigDeviceHandleByIndex", handle, index)
        except NvmlFault:  # instances have gaps
            continue
        parts.append(_mig_instance(nvml, index, part))
    return {"mig_mode": mode, "mig": parts}


def _mig_instance(nvml: Library, index: int, part: Any) -> MigInstance:
    instance = MigInstance(index)
    try:
        instance.uuid = str(nvml.call("nvmlDeviceGetUUID", part))
        instance.name = str(nvml.call("nvmlDeviceGetName", part))
        memory = nvml.call("nvmlDeviceGetMemoryInfo", part)
        instance.memory_total, instance.memory_used = _number(memory.total), _number(memory.used)
    except NvmlFault:
        pass
    return instance


def _pci_bus_id(info: Any) -> str:
    text = info.busId
    return text.decode() if isinstance(text, bytes) else str(text)


def make_reader(nvml: Library, index: int) -> Reader:
    """The calls for one GPU, what identifies it first."""
    handle = Step(
        "nvmlDeviceGetHandleByIndex",
        (),
        lambda _: {"handle": nvml.call("nvmlDeviceGetHandleByIndex", index)},
    )
    sm, memory = nvml.constant("NVML_CLOCK_SM"), nvml.constant("NVML_CLOCK_MEM")
    ecc = (nvml.constant("NVML_MEMORY_ERROR_TYPE_UNCORRECTED"), nvml.constant("NVML_VOLATILE_ECC"))
    steps = [
        _simple(nvml, "nvmlDeviceGetUUID", "uuid", str),
        _simple(nvml, "nvmlDeviceGetName", "name", str),
        _simple(nvml, "nvmlDeviceGetPciInfo", "pci_bus_id", _pci_bus_id),
        Step("nvmlDeviceGetMemoryInfo", _MEMORY, lambda h: _memory(nvml, h)),
        Step("nvmlDeviceGetUtilizationRates", _UTILIZATION, lambda h: _utilization(nvml, h)),
        _simple(
            nvml,
            "nvmlDeviceGetTemperature",
            "temperature",
            _number,
            nvml.constant("NVML_TEMPERATURE_GPU"),
        ),
        _simple(nvml, "nvmlDeviceGetPowerUsage", "power_draw", _milli),
        _simple(nvml, "nvmlDeviceGetEnforcedPowerLimit", "power_limit", _milli),
        _simple(nvml, "nvmlDeviceGetTotalEnergyConsumption", "energy", _milli),
        _simple(nvml, "nvmlDeviceGetFanSpeed", "fan_speed", _number),
        _simple(nvml, "nvmlDeviceGetPerformanceState", "performance_state", _number),
        _simple(nvml, "nvmlDeviceGetClockInfo", "clock_sm", _number, sm),
        _simple(nvml, "nvmlDeviceGetClockInfo", "clock_memory", _number, memory),
        _simple(nvml, "nvmlDeviceGetMaxClockInfo", "clock_sm_max", _number, sm),
        _simple(nvml, "nvmlDeviceGetMaxClockInfo", "clock_memory_max", _number, memory),
        Step(
            "nvmlDeviceGetCurrentClocksEventReasons",
            ("throttle_reasons",),
            lambda h: _throttling(nvml, h),
        ),
        _simple(nvml, "nvmlDeviceGetPersistenceMode", "persistence_mode", bool),
        _simple(nvml, "nvmlDeviceGetComputeMode", "compute_mode", _mode_name),
        _simple(nvml, "nvmlDeviceGetTotalEccErrors", "ecc_errors", _number, *ecc),
        _simple(nvml, "nvmlDeviceGetCurrPcieLinkGeneration", "pcie_generation"),
        _simple(nvml, "nvmlDeviceGetCurrPcieLinkWidth", "pcie_width"),
        Step("nvmlDeviceGetMigMode", ("mig_mode", "mig"), lambda h: _mig(nvml, h)),
        _running(nvml, COMPUTE),
        _running(nvml, GRAPHICS),
    ]
    return Reader(handle, steps)

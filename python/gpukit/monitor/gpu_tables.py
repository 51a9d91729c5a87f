"""Snapshots as tables: one line per GPU, in readable units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.nvml import NOT_SUPPORTED
from gpukit.monitor.running import GpuProcess
from gpukit.report import Column, Table, bytes_text

_BARS = " ▁▂▃▄▅▆▇█"


def _of(used: Any, total: Any, text: Any) -> str | None:
    """Such as 1.2 / 15.0 GiB, or what is known of it."""
    if used is None and total is None:
        return None
    return " / ".join("–" if value is None else text(value) for value in (used, total))


def _row(gpu: GpuState) -> dict[str, Any]:
    state = gpu.performance_state
    return {
        "index": gpu.index,
        "device": gpu.device,
        "name": gpu.name or f"unknown ({gpu.missing.get('name', 'not read')})",
        "temperature": gpu.temperature,
        "utilization": gpu.utilization,
        "memory": _of(gpu.memory_used, gpu.memory_total, bytes_text),
        "power": _of(gpu.power_draw, gpu.power_limit, lambda watts: f"{watts:.0f} W"),
        "fan": gpu.fan_speed,
        "state": None if state is None else f"P{state}",
        "processes": None if gpu.processes is None else len(gpu.processes),
    }


_COLUMNS = (
    Column("index", "GPU", numeric=True),
    Column("device", "device"),
    Column("name", "name"),
    Column("temperature", "°C", numeric=True),
    Column("utilization", "util %", numeric=True),
    Column("memory", "memory", numeric=True),
    Column("power", "power", numeric=True),
    Column("fan", "fan %", numeric=True),
    Column("state", "state"),
    Column("processes", "processes", numeric=True),
)


def _gaps(gpu: GpuState) -> list[str]:
    """Notes on missing values, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in gpu.missing.items():
        if reason != NOT_SUPPORTED:
            by_reason.setdefault(reason, []).append(name)
    return [
        f"GPU {gpu.index}: {_few(names)} not known: {reason}" for reason, names in by_reason.items()
    ]


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _mig_lines(gpu: GpuState) -> list[str]:
    return [
        f"GPU {gpu.index} MIG {part.index}: {part.name}, "
        f"{_of(part.memory_used, part.memory_total, bytes_text)}"
        for part in gpu.mig or []
    ]


def gpu_table(title: str, gpus: Sequence[GpuState], reason: str = "") -> Table:
    """One line per GPU; notes for MIG instances and missing values, `reason` first."""
    notes = [reason] if reason else []
    for gpu in gpus:
        notes += _mig_lines(gpu) + _gaps(gpu)
    return Table(title, _COLUMNS, [_row(gpu) for gpu in gpus], notes)


def process_table(processes: Sequence[GpuProcess]) -> Table:
    """One line per process."""
    columns = (
        Column("gpu", "GPU", numeric=True),
        Column("pid", "PID", numeric=True),
        Column("kind", "kind"),
        Column("name", "name"),
        Column("memory", "memory", bytes_text, numeric=True),
    )
    rows = [process.to_dict() for process in processes]
    return Table("Processes", columns, rows, [] if rows else ["no process uses a GPU"])


def sparkline(values: Sequence[float | None], top: float) -> str:
    """A line of bars from 0 to `top`; a gap where a value is missing."""
    last = len(_BARS) - 1
    return "".join(
        " " if value is None else _BARS[max(1, min(last, round(value / top * last)))]
        for value in values
    )

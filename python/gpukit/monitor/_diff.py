"""What changed between two snapshots, or between two pasted nvidia-smi texts."""

from __future__ import annotations

from typing import Any

from gpukit.monitor._snapshot import Snapshot
from gpukit.report import Column, Table

_MIB = 1 << 20
# field, how much it must differ to be worth a line, MiB in pasted texts
_FIELDS: tuple[tuple[str, float], ...] = (
    ("name", 0),
    ("utilization", 5),
    ("memory_used", 1),
    ("memory_total", 1),
    ("temperature", 2),
    ("power_draw", 3),
    ("fan_speed", 5),
    ("performance_state", 0),
    ("compute_mode", 0),
    ("mig_mode", 0),
)

Gpus = dict[int, dict[str, Any]]
Processes = dict[tuple[int, int], dict[str, Any]]


class Diff(Table):
    """What changed: a line for each reading of a GPU and each process that came or went.

    Truthy when something changed.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     before = gpukit.monitor.snapshot()
        ...     x = gpukit.ones(2**20, device="cuda")
        ...     change = gpukit.monitor.diff(before, gpukit.monitor.snapshot())
        >>> bool(change)
        True
    """

    def __bool__(self) -> bool:
        return bool(self.rows)


def _of_snapshot(taken: Snapshot) -> tuple[str | None, Gpus, Processes]:
    gpus = {}
    for gpu in taken.gpus:
        values = {name: getattr(gpu, name) for name, _ in _FIELDS}
        for name in ("memory_used", "memory_total"):
            values[name] = None if values[name] is None else values[name] // _MIB
        state = gpu.performance_state
        values["performance_state"] = None if state is None else f"P{state}"
        gpus[gpu.index] = values
    running = {(process.gpu, process.pid): process.to_dict() for process in taken.processes}
    return taken.driver, gpus, running


def _of_text(text: str) -> tuple[str | None, Gpus, Processes]:
    from gpukit.doctor import parse_smi

    report = parse_smi(text)
    names = {"fan_speed": "fan"}
    gpus = {
        gpu.index: {name: getattr(gpu, names.get(name, name)) for name, _ in _FIELDS}
        for gpu in report.gpus
    }
    running = {(process.gpu, process.pid): {"name": process.name} for process in report.processes}
    return report.driver, gpus, running


def _facts(side: Any) -> tuple[str | None, Gpus, Processes]:
    if isinstance(side, Snapshot):
        return _of_snapshot(side)
    if isinstance(side, str):
        return _of_text(side)
    raise TypeError(f"diff: give snapshots or nvidia-smi texts, got {type(side).__name__!r}")


def _differs(before: Any, after: Any, least: float) -> bool:
    numbers = isinstance(before, (int, float)) and isinstance(after, (int, float))
    if numbers and not isinstance(before, bool) and not isinstance(after, bool):
        return bool(abs(after - before) >= max(least, 1e-9))
    return bool(before != after)


def _of_gpu(index: int, before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for name, least in _FIELDS:
        old, new = before.get(name), after.get(name)
        if _differs(old, new, least):
            rows.append({"gpu": index, "what": name, "before": old, "after": new})
    return rows


def diff(a: Any, b: Any) -> Diff:
    """Return what changed from `a` to `b`: snapshots, or texts of nvidia-smi.

    Memory in MiB. Readings that always tremble (temperature, power, load) count from 2 °C, 3 W and
    5 % on.

    Args:
        a: A snapshot, or a text of nvidia-smi.
        b: A later one.

    Raises:
        ValueError: a text that is not nvidia-smi's.
        TypeError: neither a snapshot nor text.

    Example:
        >>> import gpukit
        >>> taken = gpukit.monitor.snapshot()
        >>> bool(gpukit.monitor.diff(taken, taken))
        False
    """
    driver_a, gpus_a, running_a = _facts(a)
    driver_b, gpus_b, running_b = _facts(b)
    rows: list[dict[str, Any]] = []
    if driver_a != driver_b:
        rows.append({"what": "driver", "before": driver_a, "after": driver_b})
    for index in sorted(gpus_a.keys() | gpus_b.keys()):
        if index in gpus_a and index in gpus_b:
            rows += _of_gpu(index, gpus_a[index], gpus_b[index])
        else:
            side, where = (gpus_a, "before") if index in gpus_a else (gpus_b, "after")
            rows.append({"gpu": index, "what": "GPU", where: side[index]["name"] or "there"})
    for gpu, pid in sorted(running_a.keys() ^ running_b.keys()):
        gone = (gpu, pid) in running_a
        name = (running_a if gone else running_b)[gpu, pid]["name"] or "unknown"
        where = "before" if gone else "after"
        rows.append({"gpu": gpu, "what": f"process {pid}", where: name})
    columns = (
        Column("gpu", "GPU", numeric=True),
        Column("what", "what"),
        Column("before", "before", numeric=True),
        Column("after", "after", numeric=True),
    )
    return Diff("Changes", columns, rows, [] if rows else ["nothing changed"])

"""`new_query()`: GPUs in the words of the gpustat package. Memory in MiB, as there."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Iterator
from typing import Any

from gpukit.monitor._snapshot import Snapshot, snapshot
from gpukit.monitor.gpu_state import GpuState

_MIB = 1 << 20


def _mib(count: int | None) -> int | None:
    return None if count is None else count // _MIB


class GPUStat:
    """One GPU in gpustat's fields. None where the GPU does not say.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpu = next(iter(gpukit.monitor.new_query()))
        >>> gpu.index, gpu.name
        (0, 'Tesla T4 (simulated)')
    """

    def __init__(self, state: GpuState) -> None:
        self._state = state

    index = property(lambda self: self._state.index)
    uuid = property(lambda self: self._state.uuid)
    name = property(lambda self: self._state.name)
    temperature = property(lambda self: self._state.temperature)
    utilization = property(lambda self: self._state.utilization)
    fan_speed = property(lambda self: self._state.fan_speed)
    memory_used = property(lambda self: _mib(self._state.memory_used))
    memory_total = property(lambda self: _mib(self._state.memory_total))
    memory_free = property(lambda self: _mib(self._state.memory_free))
    memory_available = memory_free

    @property
    def power_draw(self) -> int | None:
        """Watts."""
        watts = self._state.power_draw
        return None if watts is None else round(watts)

    @property
    def power_limit(self) -> int | None:
        """Watts."""
        watts = self._state.power_limit
        return None if watts is None else round(watts)

    @property
    def processes(self) -> list[dict[str, Any]] | None:
        """pid, command (the program's name) and gpu_memory_usage of each."""
        if self._state.processes is None:
            return None
        return [
            {"pid": p.pid, "command": p.name, "gpu_memory_usage": _mib(p.memory)}
            for p in self._state.processes
        ]

    def jsonify(self) -> dict[str, Any]:
        """The fields under gpustat's keys."""
        return {
            "index": self.index,
            "uuid": self.uuid,
            "name": self.name,
            "temperature.gpu": self.temperature,
            "fan.speed": self.fan_speed,
            "utilization.gpu": self.utilization,
            "power.draw": self.power_draw,
            "enforced.power.limit": self.power_limit,
            "memory.used": self.memory_used,
            "memory.total": self.memory_total,
            "processes": self.processes,
        }

    def __getitem__(self, key: str) -> Any:
        return self.jsonify()[key]


class GPUStatCollection:
    """The GPUs of a query: a sequence with `print_formatted()`, `jsonify()` and `print_json()`.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     len(gpukit.monitor.new_query())
        2
    """

    def __init__(self, taken: Snapshot) -> None:
        self.snapshot = taken
        self.gpus = [GPUStat(state) for state in taken.gpus]
        self.driver_version = taken.driver
        self.query_time = dt.datetime.fromtimestamp(taken.time)

    @property
    def reason(self) -> str:
        """Why there is no GPU; "" when there is one."""
        return self.snapshot.reason

    def __iter__(self) -> Iterator[GPUStat]:
        return iter(self.gpus)

    def __len__(self) -> int:
        return len(self.gpus)

    def __getitem__(self, index: int) -> GPUStat:
        return self.gpus[index]

    def print_formatted(self, fp: Any = None) -> None:
        """Print one line per GPU.

        Args:
            fp: An open text file; None means the standard output.
        """
        self.snapshot.to_table().print(sys.stdout if fp is None else fp)

    def jsonify(self) -> dict[str, Any]:
        """What gpustat's JSON holds; never the name of the host."""
        return {
            "driver_version": self.driver_version,
            "query_time": self.query_time.isoformat(),
            "gpus": [gpu.jsonify() for gpu in self.gpus],
        }

    def print_json(self, fp: Any = None) -> None:
        """Print `jsonify()` as a document.

        Args:
            fp: An open text file; None means the standard output.
        """
        stream = sys.stdout if fp is None else fp
        stream.write(json.dumps(self.jsonify(), indent=4) + "\n")

    def __repr__(self) -> str:
        return self.snapshot.to_table().to_text()


def new_query() -> GPUStatCollection:
    """Return the GPUs as gpustat.new_query() does; no driver is an empty query with `.reason`.

    Example:
        >>> import gpukit
        >>> query = gpukit.monitor.new_query()
        >>> len(query) > 0 or bool(query.reason)
        True
    """
    return GPUStatCollection(snapshot())

"""Snapshots taken in the background, and what they say together."""

from __future__ import annotations

import csv
import io
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpukit._arguments import number_of
from gpukit._language import shown
from gpukit.errors import GpukitError
from gpukit.monitor._scope import Scope
from gpukit.monitor._snapshot import Snapshot, snapshot
from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.gpu_tables import sparkline
from gpukit.report import Column, Table, bytes_text

if TYPE_CHECKING:
    from typing_extensions import Self

_SHORTEST = 0.05
_MAX_SAMPLES = 100_000
_MOST_IN_FULL = 4
_WIDTH = 44  # a line of bars fits 60 columns

_SUMMARY: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("utilization", "%", lambda value: f"{value:.0f}"),
    ("memory_used", "", bytes_text),
    ("power_draw", "W", lambda value: f"{value:.0f}"),
    ("temperature", "°C", lambda value: f"{value:.0f}"),
    ("clock_sm", "MHz", lambda value: f"{value:.0f}"),
)
_CSV = (
    "index",
    "device",
    "name",
    "utilization",
    "memory_used",
    "memory_total",
    "power_draw",
    "temperature",
    "clock_sm",
)


def _seconds(name: str, value: Any, least: float) -> float:
    seconds = float(number_of("monitor", name, value, "a number of seconds"))
    if not least <= seconds < float("inf"):
        raise ValueError(f"monitor: {name} must be at least {least} seconds, got {value!r}")
    return seconds


class Monitor(Scope):
    """Takes a snapshot every `interval` seconds in a daemon thread, from `start()` to `stop()`.

    Args:
        interval: Seconds between snapshots.
        devices: The devices to watch; None means all.
        duration: Seconds until it stops by itself; None means never.

    Example:
        >>> import gpukit
        >>> with gpukit.monitor(0.1) as watched:
        ...     _ = gpukit.ones(10).sum()
        >>> len(watched.samples) >= 1
        True
    """

    def __init__(
        self, interval: float = 1.0, devices: Any = None, duration: float | None = None
    ) -> None:
        self.interval = _seconds("interval", interval, _SHORTEST)
        self.duration = None if duration is None else _seconds("duration", duration, 0.0)
        self._devices = _names(devices)
        self._samples: list[Snapshot] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def samples(self) -> list[Snapshot]:
        """The snapshots so far, at most the last 100 000."""
        return list(self._samples)

    @property
    def running(self) -> bool:
        """Whether samples are being taken."""
        thread = self._thread
        return thread is not None and thread.is_alive() and not self._stop.is_set()

    def start(self) -> Self:
        """Start; the first snapshot is taken before this returns."""
        if self._thread is not None:
            raise GpukitError("monitor: it has been started already; make a new one")
        self._sample()
        self._thread = threading.Thread(target=self._run, name="gpukit-monitor", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End after a last snapshot. Calling it twice is fine."""
        if self._thread is None or self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        self._sample()

    def wait(self) -> Self:
        """Wait until `duration` is over."""
        if self.duration is None:
            raise GpukitError("monitor: without a duration it ends at stop(), not by itself")
        if self._thread is not None:
            self._thread.join()
        return self

    def _run(self) -> None:
        began = time.monotonic()
        due = began + self.interval
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            if self.duration is not None and time.monotonic() - began >= self.duration:
                return
            self._sample()
            due = max(due + self.interval, time.monotonic())

    def _sample(self) -> None:
        taken = snapshot()
        if self._devices is not None:
            taken.gpus = [gpu for gpu in taken.gpus if gpu.device in self._devices]
        self._samples.append(taken)
        del self._samples[:-_MAX_SAMPLES]

    def _by_gpu(self) -> dict[int, list[GpuState]]:
        by_gpu: dict[int, list[GpuState]] = {}
        for taken in self._samples:
            for gpu in taken.gpus:
                by_gpu.setdefault(gpu.index, []).append(gpu)
        return by_gpu

    def summary(self) -> Table:
        """Least, median and most of each reading, a line each."""
        columns = (
            Column("gpu", "GPU", numeric=True),
            Column("reading", "reading"),
            *(Column(key, key, numeric=True) for key in ("least", "median", "most")),
        )
        rows = []
        for index, states in self._by_gpu().items():
            for name, unit, text in _SUMMARY:
                values = [value for state in states if (value := getattr(state, name)) is not None]
                if values:
                    spread = (min(values), statistics.median(values), max(values))
                    shown = dict(zip(("least", "median", "most"), map(text, spread), strict=True))
                    reading = f"{name} {unit}".strip()
                    rows.append({"gpu": index, "reading": reading, **shown})
        samples = self.samples
        reason = next((taken.reason for taken in reversed(samples) if taken.reason), "")
        simulated = any(taken.simulated for taken in samples)
        head = f"{len(samples)} samples" + (", simulated" if simulated else "")
        return Table(head, columns, rows, [reason] if reason else [])

    def plot_text(self) -> str:
        """Utilisation, memory, temperature and power over time, a line of bars each.

        The last 44 samples; of more than four GPUs utilisation and memory alone.
        """
        lines = []
        by_gpu = self._by_gpu()
        for index, states in by_gpu.items():
            last = states[-_WIDTH:]
            total = next((s.memory_total for s in reversed(last) if s.memory_total), 1)
            busy = sparkline([s.utilization for s in last], 100)
            held = sparkline([s.memory_used for s in last], total)
            lines += [f"GPU {index} util   |{busy}|", f"GPU {index} memory |{held}|"]
            if len(by_gpu) <= _MOST_IN_FULL:
                warm = sparkline([s.temperature for s in last], 100)
                most = max((s.power_limit or s.power_draw or 1 for s in last), default=1)
                drawn = sparkline([s.power_draw for s in last], most)
                lines += [f"GPU {index} °C     |{warm}|", f"GPU {index} power  |{drawn}|"]
        lines = [shown(line) for line in lines]
        if lines and any(taken.simulated for taken in self._samples):
            lines.append(shown("simulated"))
        return "\n".join(lines) or (self._samples[-1].reason if self._samples else "no samples")

    def to_csv(self) -> str:
        """Every sample of every GPU, a line each; a missing value is empty."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["time", *_CSV])
        for taken in self._samples:
            for gpu in taken.gpus:
                writer.writerow([f"{taken.time:.3f}", *(_cell(gpu, name) for name in _CSV)])
        return stream.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The samples as plain data."""
        return {"schema": 1, "samples": [taken.to_dict() for taken in self._samples]}

    def __repr__(self) -> str:
        return self.summary().to_text()


def _cell(gpu: GpuState, name: str) -> Any:
    value = getattr(gpu, name)
    return "" if value is None else value


def _names(devices: Any) -> set[str] | None:
    """The devices as "cuda:0" texts; None means all."""
    if devices is None:
        return None
    from gpukit import _core

    _core.cuda_device_count()  # CUDA's order is known once the driver runs
    several = (
        devices if isinstance(devices, Sequence) and not isinstance(devices, str) else [devices]
    )
    return {str(_core.device(device).resolve()) for device in several}

"""`gpukit.monitor.live`: curves of each GPU that move, in a notebook; bars of text elsewhere."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpukit._arguments import int_of
from gpukit._language import shown
from gpukit.monitor._scope import Scope
from gpukit.monitor._snapshot import Snapshot, snapshot
from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.sampler import Monitor
from gpukit.report import bytes_text
from gpukit.report.progress import in_notebook

if TYPE_CHECKING:
    from typing_extensions import Self

_MOST_POINTS = 3600
_UNKNOWN = "–"


class _Told(Monitor):
    """A Monitor that goes on with earlier samples and tells of each new one."""

    def __init__(self, earlier: Monitor | None, tell: Callable[[], None], *settings: Any) -> None:
        super().__init__(*settings)
        self._samples = earlier.samples if earlier is not None else []
        self._tell = tell

    def _sample(self) -> None:
        super()._sample()
        self._tell()


class Live(Scope):
    """Utilisation, memory, temperature and power of each GPU over time, as long as it is looked at.

    The last line of a cell shows it: as curves that move where anywidget is installed (the extra
    "live"), else as a table and bars of text, as `print` does. Its thread ends with `stop()`, with
    `close()`, when the cell's output is cleared, and when nothing refers to it any more.

    Args:
        interval: Seconds between samples.
        devices: The devices to watch; None means all.
        points: How many samples a curve has.

    Attributes:
        running: Whether samples are being taken.
        monitor: The `Monitor` with all samples.

    Raises:
        ValueError: interval is below 0.05 s, or points are not 2 to 3600.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"), gpukit.monitor.live(0.1) as live:
        ...     _ = gpukit.ones(10, device="cuda").sum()
        >>> live.running, "simulated" in str(live)
        (False, True)
    """

    def __init__(self, interval: float = 1.0, devices: Any = None, points: int = 120) -> None:
        self.points = int_of("live", "points", points, "a count")
        if not 2 <= self.points <= _MOST_POINTS:
            raise ValueError(f"live: points must be from 2 to {_MOST_POINTS}, got {points!r}")
        self._settings = (interval, devices)
        self._lock = threading.Lock()
        self._widget: Any = None
        self.monitor: Monitor = self._make_monitor(None)

    def _make_monitor(self, earlier: Monitor | None) -> Monitor:
        # The thread must not keep what it serves.
        me = weakref.WeakMethod(self._sampled)
        return _Told(earlier, lambda: (call := me()) and call(), *self._settings)

    @property
    def running(self) -> bool:
        """Whether samples are being taken."""
        return self.monitor.running

    def start(self) -> Self:
        """Take samples, after those that there are. Calling it twice is fine."""
        with self._lock:
            if not self.running:
                if self.monitor.samples:
                    self.monitor = self._make_monitor(self.monitor)
                self.monitor.start()
        return self

    def stop(self) -> None:
        """Take no more samples; `start()` goes on. Calling it twice is fine."""
        with self._lock:
            self.monitor.stop()
        if self._widget is not None:
            self._widget.running = False

    def close(self) -> None:
        """Stop, and take the curves out of the notebook."""
        self.stop()
        widget, self._widget = self._widget, None
        if widget is not None:
            widget.close()

    def __del__(self) -> None:
        if hasattr(self, "monitor"):
            self.monitor._stop.set()  # noqa: SLF001

    def state(self) -> dict[str, Any]:
        """What is drawn, as plain data: the curves of each GPU and the words beside them."""
        samples = self.monitor.samples[-self.points :]
        last = samples[-1] if samples else None
        by_gpu: dict[int, list[GpuState | None]] = {}
        for place, taken in enumerate(samples):
            for gpu in taken.gpus:
                by_gpu.setdefault(gpu.index, [None] * len(samples))[place] = gpu
        return {
            "gpus": [_curves(index, states) for index, states in sorted(by_gpu.items())],
            "mark": shown("simulated") if last is not None and last.simulated else "",
            "reason": shown(_reason(last)),
            "points": self.points,
            "words": {word: shown(text) for word, text in _WORDS.items()},
        }

    def _sampled(self) -> None:
        widget = self._widget
        if widget is not None:
            widget.state = self.state()

    def __repr__(self) -> str:
        taken = self.monitor.samples
        if not taken:
            return snapshot().to_table().to_text()
        return f"{taken[-1].to_table().to_text()}\n\n{self.monitor.plot_text()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not in_notebook():
            return {"text/plain": repr(self)}
        if find_spec("anywidget") is None:
            return {"text/plain": f"{self!r}\n\n{shown(_install_note())}"}
        if self._widget is None:
            self.start()
            self._widget = _make_widget(self)
        return self._widget._repr_mimebundle_(**kwargs)


_WORDS = {"stop": "Stop", "start": "Go on", "stopped": "stopped"}


def _reason(last: Snapshot | None) -> str:
    return "" if last is None or last.gpus else last.reason


def _install_note() -> str:
    from gpukit import _core

    return f"Curves in a notebook: {_core.install_command('live', _core.build_info()['version'])}"


def _curves(index: int, states: list[GpuState | None]) -> dict[str, Any]:
    """The four curves of one GPU; None where a value is missing."""
    known = [state for state in states if state is not None]
    name = known[-1].device or f"GPU {index}"
    total = next((state.memory_total for state in reversed(known) if state.memory_total), None)
    limit = next((state.power_limit for state in reversed(known) if state.power_limit), None)
    power = [state.power_draw for state in known if state.power_draw is not None]
    most = limit or max(power, default=None)
    kinds = (
        ("utilization", "utilization", 100, lambda value: f"{value:.0f} %"),
        ("GPU memory", "memory_used", total, bytes_text),
        ("temperature", "temperature", 100, lambda value: f"{value:.0f} °C"),
        ("power", "power_draw", most, lambda value: f"{value:.0f} W"),
    )
    series = {}
    for label, field, top, text in kinds:
        values = [None if state is None else getattr(state, field) for state in states]
        full = f" / {text(top)}" if field == "memory_used" and top else ""
        series[field.partition("_")[0]] = _one_curve(shown(label), values, top, text, full)
    title = f"{name}: {shown(known[-1].name)}" if known[-1].name else name
    return {"index": index, "title": title, "series": series}


def _one_curve(
    label: str,
    values: list[float | None],
    top: float | None,
    text: Callable[[float], str],
    full: str,
) -> dict[str, Any]:
    present = [value for value in values if value is not None]
    now = _UNKNOWN if values[-1] is None else text(values[-1])
    spread = f" ({text(min(present))} – {text(max(present))})" if present else ""
    spoken = f"{label}: {now}{full}{spread}"
    return {"label": label, "values": values, "top": top or 1, "now": now + full, "spoken": spoken}


def _make_widget(live: Live) -> Any:
    """The widget of a `Live`. It stops sampling when no view of it is left, and when it closes."""
    import anywidget
    import traitlets

    class MonitorWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = Path(__file__).with_name("live.js").read_text(encoding="utf-8")
        state = traitlets.Dict().tag(sync=True)
        running = traitlets.Bool(True).tag(sync=True)
        views = traitlets.Int(0).tag(sync=True)
        _waits = False

        @traitlets.observe("running")
        def _turn(self, change: Any) -> None:
            if change["new"] and not live.running:
                live.start()
            elif not change["new"] and live.running:
                live.stop()

        @traitlets.observe("views")
        def _count(self, change: Any) -> None:
            if not change["new"]:  # nobody looks: go on when somebody does again
                self._waits, self.running = self.running, False
            elif self._waits:
                self._waits, self.running = False, True

        def __repr__(self) -> str:  # where widgets are not shown
            return repr(live)

        def close(self) -> None:
            live.stop()
            super().close()

    return MonitorWidget(state=live.state())


def live(interval: float = 1.0, devices: Any = None, points: int = 120) -> Live:
    """Return what shows each GPU's utilisation, memory, temperature and power as they change.

    Args:
        interval: Seconds between samples.
        devices: The devices to watch; None means all.
        points: How many samples a curve has.

    Raises:
        ValueError: interval is below 0.05 s, or points are not 2 to 3600.

    Example:
        >>> import gpukit
        >>> gpukit.monitor.live(points=60).running
        False
    """
    return Live(interval, devices, points)

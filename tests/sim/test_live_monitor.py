"""`gpukit.monitor.live`: what is drawn, and when it takes samples."""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from typing import Any

import pytest
import traitlets

import gpukit
from gpukit.monitor import _live
from gpukit.monitor._live import Live

NAME = "gpukit-monitor"


def threads() -> int:
    return sum(thread.name == NAME for thread in threading.enumerate())


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Widget(traitlets.HasTraits):
    """What anywidget's class is to gpukit: traits, a module of JavaScript, close()."""

    closed = False

    def close(self) -> None:
        self.closed = True

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("anywidget")
    module.AnyWidget = Widget  # type: ignore[attr-defined]
    module.__spec__ = ModuleSpec("anywidget", None)
    monkeypatch.setitem(sys.modules, "anywidget", module)
    monkeypatch.setattr(_live, "in_notebook", lambda: True)


@pytest.fixture
def live() -> Iterator[Live]:
    made = gpukit.monitor.live(0.05, points=5)
    yield made
    made.close()
    assert threads() == 0


def shown_widget(live: Live) -> Any:
    assert "application/vnd.jupyter.widget-view+json" in live._repr_mimebundle_()
    return live._widget


def test_the_state_has_four_curves_of_each_gpu(live: Live) -> None:
    held = gpukit.ones(2**20, device="cuda:1")
    with live:
        until(lambda: len(live.monitor.samples) > 6)
    state = json.loads(json.dumps(live.state()))
    assert state["mark"] == "simulated"
    assert [gpu["title"] for gpu in state["gpus"]] == [
        "cuda:0: Tesla T4 (simulated)",
        "cuda:1: Tesla T4 (simulated)",
    ]
    for gpu in state["gpus"]:
        assert list(gpu["series"]) == ["utilization", "memory", "temperature", "power"]
        assert {len(series["values"]) for series in gpu["series"].values()} == {5}
    memory = state["gpus"][1]["series"]["memory"]
    assert memory["values"][-1] >= held.nbytes
    assert memory["top"] == gpukit.monitor.snapshot().gpus[1].memory_total
    assert memory["now"].endswith(" / 14.7 GiB")
    assert memory["spoken"].startswith("GPU memory: ")


def test_a_missing_value_is_a_gap() -> None:
    taken = gpukit.monitor.snapshot().gpus[0]
    unknown = gpukit.monitor.GpuState(0, name="x")
    curves = _live._curves(0, [taken, None, unknown])["series"]
    assert curves["power"]["values"][1:] == [None, None]
    assert curves["power"]["now"] == "–"
    assert curves["power"]["top"] == taken.power_limit
    nothing = _live._curves(0, [unknown])["series"]
    assert (nothing["memory"]["top"], nothing["memory"]["spoken"]) == (1, "GPU memory: –")


def test_in_a_notebook_it_is_a_widget_that_gets_each_sample(live: Live, notebook: None) -> None:
    assert threads() == 0
    widget = shown_widget(live)
    assert "export default" in widget._esm
    assert "http" not in widget._esm.replace("http://www.w3.org/2000/svg", "")
    seen = []
    widget.observe(lambda change: seen.append(change["new"]["mark"]), "state")
    until(lambda: len(seen) >= 2)
    assert set(seen) == {"simulated"}
    assert shown_widget(live) is widget


def test_closing_the_widget_ends_its_thread(live: Live, notebook: None) -> None:
    widget = shown_widget(live)
    assert threads() == 1
    widget.close()
    assert (threads(), widget.closed, live.running) == (0, True, False)


def test_it_pauses_while_nobody_looks(live: Live, notebook: None) -> None:
    widget = shown_widget(live)
    widget.views = 1
    widget.views = 2
    widget.views = 1
    assert live.running
    widget.views = 0
    assert (live.running, widget.running, threads()) == (False, False, 0)
    before = len(live.monitor.samples)
    widget.views = 1
    assert (live.running, widget.running) == (True, True)
    until(lambda: len(live.monitor.samples) > before)


def test_its_button_stops_it_also_for_later_views(live: Live, notebook: None) -> None:
    widget = shown_widget(live)
    widget.views = 1
    widget.running = False
    assert threads() == 0
    widget.views = 0
    widget.views = 1
    assert not live.running
    widget.running = True
    assert live.running
    live.stop()
    assert not widget.running


def test_stopping_twice_and_starting_twice(live: Live) -> None:
    live.stop()
    live.start().start()
    assert threads() == 1
    live.stop()
    live.stop()
    first = len(live.monitor.samples)
    with live:
        assert len(live.monitor.samples) == first + 1


def test_elsewhere_it_is_text(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    text = live._repr_mimebundle_()["text/plain"]
    assert "Tesla T4 (simulated)" in text
    with live:
        pass
    assert "GPU 1 power  |" in repr(live)
    assert repr(live).endswith("simulated")
    monkeypatch.setattr(_live, "in_notebook", lambda: True)
    monkeypatch.setattr(_live, "find_spec", lambda name: None)
    text = live._repr_mimebundle_()["text/plain"]
    assert "[live]" in text.splitlines()[-1]
    assert threads() == 0


def test_its_thread_does_not_keep_it() -> None:
    made = gpukit.monitor.live(0.05)
    made.start()
    assert threads() == 1
    del made
    gc.collect()
    until(lambda: threads() == 0)


def test_words_are_in_the_language(live: Live) -> None:
    with live:
        pass
    gpukit.set_language("zh")
    try:
        state = live.state()
    finally:
        gpukit.set_language(None)
    labels = [series["label"] for series in state["gpus"][0]["series"].values()]
    assert labels == ["利用率", "显存", "温度", "功率"]
    assert state["mark"] == "模拟"
    assert state["words"]["stop"] == "停止"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"points": 1}, "points must be from 2 to 3600, got 1"),
        ({"points": 10**6}, "points must be from 2 to 3600"),
        ({"interval": 0.01}, "interval must be at least 0.05"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        gpukit.monitor.live(**settings)

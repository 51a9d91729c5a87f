"""Which line allocated what on a GPU, over time."""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ET

import pytest

import gpukit
from gpukit import nn
from gpukit.cuda import memory
from gpukit.cuda._memory_history import MemoryEvent
from gpukit.cuda._memory_picture import MemoryHistory
from gpukit.errors import ArgumentError, GpukitError


@pytest.fixture(autouse=True)
def ended():
    yield
    gpukit.cuda.record_memory_history(None)
    memory._recorder = None


def make(n):
    return gpukit.ones(n, device="cuda:0")


def test_lines_events_and_peak():
    base = gpukit.cuda.memory_allocated(0)
    gpukit.cuda.record_memory_history()
    x = make(1000)
    y = x * 2
    del x
    z = y.view(10, 100)
    del y
    gpukit.cuda.synchronize()
    history = gpukit.cuda.memory_history(0)
    assert [(e.action, e.operator, e.bytes) for e in history.events] == [
        ("alloc", "ones", 4000),
        ("alloc", "mul", 4000),
        ("free", "ones", 4000),
    ]
    assert history.peak == base + 8000
    assert [e.total - base for e in history.events] == [4000, 8000, 4000]
    ones = next(line for line in history.lines if line.operator == "ones")
    assert (ones.file, ones.function, ones.held, ones.at_peak) == (__file__, "make", 0, 4000)
    assert "gpukit.ones(n" in ones.source
    frames = history.events[0].frames
    assert [frame[2] for frame in frames[:2]] == ["make", "test_lines_events_and_peak"]
    del z
    assert gpukit.cuda.memory_history(0).events[-1].operator == "mul"


def test_the_books_balance_over_a_training():
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to("cuda:0")
    optimizer = gpukit.optim.Adam(net.parameters())
    x = gpukit.rand(32, 64, device="cuda:0")
    base = gpukit.cuda.memory_allocated(0)
    gpukit.cuda.reset_peak_memory_stats(0)
    gpukit.cuda.record_memory_history()
    for _ in range(4):
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
    history = gpukit.cuda.memory_history(0)
    changes = [-e.bytes if e.action == "free" else e.bytes for e in history.events]
    assert base + sum(changes) == gpukit.cuda.memory_allocated(0) == history.events[-1].total
    running = base
    for event, change in zip(history.events, changes, strict=True):
        running += change
        assert event.total == running
    assert history.peak <= gpukit.cuda.max_memory_allocated(0)
    forward = [e for e in history.events if e.operator == "linear_relu" and e.action == "alloc"]
    assert {e.bytes for e in forward} == {32 * 128 * 4}
    assert len(forward) == 4


def test_the_picture_is_drawn():
    gpukit.cuda.record_memory_history()
    kept = [make(1000 * n) for n in range(1, 5)]
    history = gpukit.cuda.memory_history(0)
    root = ET.fromstring(history.to_svg())
    polygons = root.findall("{http://www.w3.org/2000/svg}polygon")
    assert len(polygons) == 2  # one line, and the rest
    assert "<svg" in history.to_html()
    assert "test_memory_history.py" in history.to_text()
    for shown in (history.to_svg(), history.to_text(), history.to_html()):
        assert "cuda:0 (simulated)" in shown
    assert history.to_dict()["simulated"]
    assert "black" not in history.to_svg()  # the theme's own colour
    del kept


def test_the_picture_is_readable_on_a_phone_in_both_themes_and_in_chinese():
    gpukit.cuda.record_memory_history()
    kept = make(1000)
    gpukit.set_language("zh")
    try:
        history = gpukit.cuda.memory_history(0)
        root = ET.fromstring(history.to_svg())
        texts = "".join(root.itertext())
        table = history.to_text()
        other = MemoryEvent("other", 0, 8, 8, 0.0, "", (), 0)
        unseen = MemoryHistory([other], 0)
        assert "没有看到" in unseen.to_text() and "没有看到" in unseen.to_svg()
    finally:
        gpukit.set_language(None)
    assert float(root.get("viewBox").split()[2]) <= 400  # then 13 px are 12 px at 390 px
    assert "prefers-color-scheme:dark" in texts  # as a file no page gives it a colour
    assert "cuda:0 的显存（模拟）" in texts and "其他" in texts and "events" not in texts
    assert "各行代码的显存分配" in table and "operator" not in table and "at the peak" not in table
    del kept


def test_the_snapshot_is_torchs():
    gpukit.cuda.record_memory_history()
    x = make(1000)
    segments = gpukit.cuda.memory_snapshot(0)
    assert sum(s["total_size"] for s in segments) == gpukit.cuda.memory_reserved(0)
    assert sum(s["allocated_size"] for s in segments) == gpukit.cuda.memory_allocated(0)
    (own,) = [s for s in segments if s["total_size"] == 4000]
    assert own["blocks"][0]["frames"][0]["name"] == "make"
    del x


def test_the_file(tmp_path):
    gpukit.cuda.record_memory_history()
    x = make(1000)
    del x
    y = make(500)
    memory._dump_snapshot(str(tmp_path / "s.pickle"))
    with (tmp_path / "s.pickle").open("rb") as file:
        snapshot = pickle.load(file)
    actions = [event["action"] for event in snapshot["device_traces"][0]]
    assert actions == ["alloc", "free_requested", "free_completed", "alloc"]
    assert set(snapshot) >= {"segments", "device_traces"}
    del y


def test_the_latest_events_are_kept():
    gpukit.cuda.record_memory_history(max_entries=2, context=None)
    for _ in range(5):
        make(10)
    events = gpukit.cuda.memory_history(0).events
    assert len(events) == 2
    assert len(events[0].frames) == 1


def test_wrong_calls():
    with pytest.raises(GpukitError, match="record_memory_history"):
        gpukit.cuda.memory_history(0)
    with pytest.raises(ArgumentError, match="enabled must be one of"):
        gpukit.cuda.record_memory_history("some")
    with pytest.raises(ArgumentError, match="max_entries"):
        gpukit.cuda.record_memory_history(max_entries=0)

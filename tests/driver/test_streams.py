"""Streams and events: order, the current stream of a thread, memory that several streams used."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpukit
from gpukit import cuda
from gpukit.errors import (
    DeviceMismatchError,
    DeviceNotFoundError,
    GpukitError,
    GpukitWarning,
    InvalidDeviceError,
)
from support.mode import LONG_RUN

COUNT = 1 << 18


@pytest.fixture(autouse=True)
def own_stream():
    """Whatever a test does, the next one starts on the default stream."""
    yield
    cuda.set_stream(cuda.default_stream("cuda:0"))


def slow_fill(value: float) -> gpukit.Tensor:
    """A tensor whose value is ready after a queue of work."""
    x = gpukit.zeros(COUNT, device="cuda:0")
    for _ in range(30):
        x = x + value / 30
    return x


def test_wait_event_and_wait_stream_order_two_streams():
    first, second = cuda.Stream(), cuda.Stream(priority=-1)
    for _ in range(5):
        with cuda.stream(first):
            x = slow_fill(3.0)
            event = first.record_event()
        second.wait_event(event)
        with cuda.stream(second):
            y = x * 2
        cuda.current_stream().wait_stream(second)
        assert y.max().item() == pytest.approx(6.0, rel=1e-4)
        event.wait(first)
        assert isinstance(event, cuda.Event)


def test_the_current_stream_is_of_the_thread():
    mine = cuda.Stream()
    seen = {}

    def other() -> None:
        seen["start"] = cuda.current_stream("cuda:0")
        own = cuda.Stream()
        cuda.set_stream(own)
        seen["own"] = cuda.current_stream("cuda:0") == own

    with cuda.stream(mine):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert cuda.current_stream() == mine
    assert cuda.current_stream() == cuda.default_stream()
    assert seen == {"start": cuda.default_stream("cuda:0"), "own": True}


def test_stream_contexts_nest_and_change_the_device():
    last = f"cuda:{cuda.device_count() - 1}"
    outer, inner = cuda.Stream("cuda:0"), cuda.Stream(last)
    with cuda.stream(outer):
        with cuda.stream(inner):
            assert cuda.current_device() == gpukit.device(last).index
            assert cuda.current_stream(last) == inner
            with cuda.stream(None):
                assert cuda.current_stream(last) == inner
        assert cuda.current_stream() == outer
        assert cuda.current_device() == 0
    assert cuda.current_stream(last) == cuda.default_stream(last)


def test_a_stream_describes_itself():
    stream = cuda.Stream(device="cuda:0", priority=-1)
    assert stream.priority == -1
    assert stream.device == gpukit.device("cuda:0")
    assert stream.cuda_stream > 0
    assert stream.__cuda_stream__() == (0, stream.cuda_stream)
    assert hex(stream.cuda_stream) in repr(stream)
    same = cuda.ExternalStream(stream.cuda_stream, "cuda:0")
    assert same == stream
    assert isinstance(same, cuda.Stream)
    with cuda.stream(same):
        assert (gpukit.ones(3, device="cuda:0") * 2).sum().item() == 6.0
    assert len({stream, same, cuda.default_stream()}) == 2
    same.synchronize()
    assert stream.query()


def test_bad_arguments():
    event = cuda.Event(enable_timing=True)
    for call, error, text in (
        (lambda: cuda.Stream(device="cpu"), InvalidDeviceError, "cpu"),
        (lambda: cuda.Stream(device="cuda:99"), DeviceNotFoundError, "99"),
        (lambda: cuda.Stream(priority="high"), TypeError, "priority"),
        (lambda: cuda.Stream(priority=9), ValueError, "9"),
        (lambda: cuda.ExternalStream("x"), TypeError, "ptr"),
        (lambda: cuda.ExternalStream(-1), ValueError, "-1"),
        (lambda: cuda.stream("s"), TypeError, "Stream"),
        (lambda: cuda.set_stream(3), TypeError, "Stream"),
        (lambda: cuda.Stream().wait_event(3), TypeError, "event"),
        (lambda: cuda.Stream().wait_stream(3), TypeError, "stream"),
        (lambda: cuda.Event(enable_timing="yes"), TypeError, "enable_timing"),
        (lambda: event.record("s"), TypeError, "stream"),
        (lambda: event.elapsed_time(3), TypeError, "end_event"),
        (lambda: event.elapsed_time(event), GpukitError, "recorded"),
        (lambda: cuda.Event().elapsed_time(event), GpukitError, "enable_timing=True"),
    ):
        with pytest.raises(error, match=text):
            call()
    if cuda.device_count() > 1:
        event.record(cuda.Stream("cuda:0"))
        with pytest.raises(DeviceMismatchError, match="cuda:1"):
            event.record(cuda.Stream("cuda:1"))


def test_events_that_were_never_recorded_are_done():
    event = cuda.Event()
    assert event.query()
    event.synchronize()
    event.wait()
    cuda.Stream().wait_event(event)


def test_freed_memory_is_not_lent_while_another_stream_uses_it():
    side = cuda.Stream()
    for i in range(LONG_RUN or 15):
        x = gpukit.full((COUNT,), float(i), device="cuda:0")
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            y = x
            for _ in range(10):
                y = y + 1
        del x
        gpukit.full((COUNT,), -1.0, device="cuda:0")  # wants the same block
        side.synchronize()
        assert y.min().item() == y.max().item() == i + 10.0


def test_dropped_streams_keep_their_work_and_memory():
    for i in range(30):
        stream = cuda.Stream()
        with cuda.stream(stream):
            x = gpukit.full((COUNT,), float(i), device="cuda:0") + 1
        event = stream.record_event()
        del stream
        event.wait()
        assert x.sum().item() == COUNT * (i + 1.0)


def test_several_devices_at_once():
    names = [f"cuda:{index}" for index in range(cuda.device_count())]
    totals = {}

    def work(name: str) -> None:
        with cuda.device(name), cuda.stream(cuda.Stream(name)):
            x = gpukit.ones(COUNT, device=name)
            for _ in range(20):
                x = x * 1.0 + 1.0
            totals[name] = x.sum().item()

    threads = [threading.Thread(target=work, args=(name,)) for name in names * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == dict.fromkeys(names, COUNT * 21.0)
    parts = [gpukit.full((4,), i, device=name) for i, name in enumerate(names)]
    total = sum(float((part * part).sum()) for part in parts)
    assert total == sum(4.0 * i * i for i in range(len(names)))


@pytest.fixture
def debug_mode():
    yield cuda.set_sync_debug_mode
    cuda.set_sync_debug_mode("default")


HIDDEN = {
    "item": lambda x: x.sum().item(),
    "bool": lambda x: bool((x > 0).all()),
    "print": repr,
    "numpy": lambda x: x.numpy(force=True),
    "copy": lambda x: x.cpu(),
    "pageable": lambda x: gpukit.ones(9).to(x.device),
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_hidden_waits_are_warned_of_or_refused(kind, debug_mode):
    x = gpukit.ones(4, device="cuda:0")
    debug_mode("warn")
    assert cuda.get_sync_debug_mode() == 1
    with pytest.warns(GpukitWarning, match=f"waits here for a GPU: {kind} "):
        HIDDEN[kind](x)
    debug_mode("error")
    with pytest.raises(GpukitError, match=kind):
        HIDDEN[kind](x)
    debug_mode(0)
    HIDDEN[kind](x)


def test_what_is_no_hidden_wait(debug_mode):
    x = gpukit.ones(1 << 20, device="cuda:0")
    debug_mode(2)
    y = (x * 2).cpu(non_blocking=True)
    z = gpukit.ones(1 << 20).to("cuda:0", non_blocking=True)
    x.wait()
    gpukit.synchronize("cuda:0")
    z.add_(1)
    assert y.sum().item() == 2 << 20
    with pytest.raises(ValueError, match="loud"):
        debug_mode("loud")
    with pytest.raises(TypeError, match="mode"):
        debug_mode(None)
    with pytest.raises(ValueError, match="7"):
        debug_mode(7)


def use_memory() -> None:
    side = cuda.Stream()
    for i in range(20):
        x = gpukit.full((COUNT,), float(i), device="cuda:0")
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            y = x + 1
        del x
        gpukit.full((COUNT,), -1.0, device="cuda:0")
        side.synchronize()
        assert y.cpu().numpy().min() == i + 1.0
    a = np.arange(12.0).reshape(3, 4)
    b = gpukit.as_tensor(a).to("cuda:0")
    assert np.allclose((b @ b.T).cpu().numpy(), a @ a.T)


@pytest.mark.parametrize("pool", ["pool", "cuda_async", "none"])
def test_every_pool_gives_memory(pool):
    use_memory()
    before = cuda.memory_allocated()
    gpukit.config.set_pool(pool)
    try:
        assert gpukit.config.get_pool() == pool
        use_memory()
        kept = gpukit.ones(COUNT, device="cuda:0")
    finally:
        gpukit.config.set_pool("pool")
    assert kept.sum().item() == COUNT
    del kept
    gpukit.synchronize("cuda:0")
    cuda.empty_cache()
    assert cuda.memory_allocated() == before


def test_pools_refuse_what_is_none():
    with pytest.raises(ValueError, match="ring"):
        gpukit.config.set_pool("ring")
    with pytest.raises(TypeError, match="pool"):
        gpukit.config.set_pool(3)
    with pytest.raises(NotImplementedError):
        gpukit._core.set_pool("cpu", "none")


def test_statistics_under_torchs_names():
    cuda.reset_peak_memory_stats()
    before = cuda.memory_stats()
    x = gpukit.empty(1 << 20, device="cuda:0")
    during = cuda.memory_stats()
    assert during["allocated_bytes.all.current"] - before["allocated_bytes.all.current"] == 4 << 20
    assert during["allocation.all.current"] == before["allocation.all.current"] + 1
    del x
    after = cuda.memory_stats()
    assert after["allocated_bytes.all.current"] == before["allocated_bytes.all.current"]
    assert after["allocated_bytes.all.peak"] >= during["allocated_bytes.all.current"]
    assert after["allocation.all.freed"] > before["allocation.all.freed"]
    assert set(before) == set(after)
    text = cuda.memory_summary()
    assert text.startswith("cuda:0")
    assert "reserved" in text

"""Stream capture and graphs of the simulated driver."""

from __future__ import annotations

import ctypes
import threading
from ctypes import c_int, c_uint, c_uint64, c_void_p

import numpy as np
import pytest

from support.cubin import make_cubin
from support.sim_driver import RAMP, RAMP_SIZES, RAMP_THREADS, RampArgs, SimDriver

GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2
NONE, ACTIVE, INVALIDATED = 0, 1, 2
COUNT = 1000


def begin(driver: SimDriver, stream: c_void_p, mode: int = THREAD_LOCAL, status: int = 0) -> None:
    driver.call("cuStreamBeginCapture_v2", stream, mode, status=status)


def end(driver: SimDriver, stream: c_void_p, status: int = 0) -> c_void_p:
    graph = c_void_p()
    driver.call("cuStreamEndCapture", stream, ctypes.byref(graph), status=status)
    assert bool(graph) == (status == 0)
    return graph


def instantiate(driver: SimDriver, graph: c_void_p) -> c_void_p:
    ready = c_void_p()
    driver.call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, c_uint64(0))
    return ready


def state(driver: SimDriver, stream: c_void_p) -> int:
    found = c_int(-1)
    driver.call("cuStreamIsCapturing", stream, ctypes.byref(found))
    return found.value


def record(driver: SimDriver, event: c_void_p, stream: c_void_p) -> None:
    driver.call("cuEventRecord", event, stream)


def wait(driver: SimDriver, stream: c_void_p, event: c_void_p, status: int = 0) -> None:
    driver.call("cuStreamWaitEvent", stream, event, 0, status=status)


def test_a_graph_runs_what_was_captured_each_time(driver: SimDriver) -> None:
    driver.start("T4")
    stream = driver.stream()
    memory = driver.allocate(4 * COUNT)
    host = driver.pinned(COUNT)
    function = driver.function(driver.load(make_cubin(75, RAMP, RAMP_SIZES)), RAMP)
    driver.fill(memory, 7, COUNT, stream)
    begin(driver, stream)
    assert state(driver, stream) == ACTIVE
    driver.fill(memory, 1, COUNT, stream)
    driver.launch(function, 1, RAMP_THREADS, RampArgs(memory.value, 256, 0), stream=stream)
    driver.read_into(host, memory, stream)
    graph = end(driver, stream)
    assert state(driver, stream) == NONE
    driver.call("cuStreamSynchronize", stream)
    assert (driver.download(memory, COUNT, np.uint32) == 7).all()  # nothing ran yet
    ready = instantiate(driver, graph)
    driver.call("cuGraphDestroy", graph)
    driver.call("cuGraphUpload", ready, stream)
    for _ in range(3):
        host[:] = 0
        driver.fill(memory, 9, COUNT, stream)
        driver.call("cuGraphLaunch", ready, stream)
        driver.call("cuStreamSynchronize", stream)
        words = host.view(np.uint32)
        assert (words[256:] == 1).all()
        assert not (words[:256] == 1).all()
    driver.call("cuGraphExecDestroy", ready)
    driver.call("cuGraphLaunch", ready, stream, status=1)


def test_a_launch_costs_one_launch_and_little_for_each_node(driver: SimDriver) -> None:
    driver.start("T4,launch_us=100")
    stream = driver.stream()
    memory = driver.allocate(4 * COUNT)

    def queue() -> None:
        for _ in range(20):
            driver.fill(memory, 1, 1, stream)

    def cost_ms(work: object) -> float:
        start, stop = driver.event(), driver.event()
        record(driver, start, stream)
        work()  # type: ignore[operator]
        record(driver, stop, stream)
        driver.call("cuStreamSynchronize", stream)
        return driver.elapsed_ms(start, stop)

    begin(driver, stream)
    queue()
    ready = instantiate(driver, end(driver, stream))
    assert cost_ms(queue) == pytest.approx(2.0, rel=0.05)
    graph_ms = cost_ms(lambda: driver.call("cuGraphLaunch", ready, stream))
    assert 0.1 < graph_ms < 0.13


def test_a_fork_that_is_joined(driver: SimDriver) -> None:
    driver.start("T4")
    main, side = driver.stream(), driver.stream()
    memory = driver.allocate(8)
    fork, join = driver.event(), driver.event()
    begin(driver, main)
    driver.fill(memory, 1, 1, main)
    record(driver, fork, main)
    wait(driver, side, fork)
    assert state(driver, side) == ACTIVE
    driver.fill(memory, 2, 1, side)
    record(driver, join, side)
    wait(driver, main, join)
    ready = instantiate(driver, end(driver, main))
    assert state(driver, side) == NONE
    driver.call("cuGraphLaunch", ready, main)
    driver.call("cuStreamSynchronize", main)
    assert driver.download(memory, 1, np.uint32)[0] == 2


def test_a_fork_that_is_not_joined(driver: SimDriver) -> None:
    driver.start("T4")
    main, side = driver.stream(), driver.stream()
    fork = driver.event()
    memory = driver.allocate(8)
    begin(driver, main)
    record(driver, fork, main)
    wait(driver, side, fork)
    driver.fill(memory, 2, 1, side)
    end(driver, main, status=904)
    assert state(driver, side) == NONE


@pytest.mark.parametrize(
    ("name", "status"),
    [("cuStreamSynchronize", 900), ("cuStreamQuery", 900), ("cuCtxSynchronize", 900)],
)
def test_what_waits_spoils_a_capture(driver: SimDriver, name: str, status: int) -> None:
    driver.start("T4")
    stream = driver.stream()
    begin(driver, stream)
    arguments = () if name == "cuCtxSynchronize" else (stream,)
    driver.call(name, *arguments, status=status)
    assert state(driver, stream) == INVALIDATED
    end(driver, stream, status=901)
    driver.call(name, *arguments)


@pytest.mark.parametrize("mode", [GLOBAL, THREAD_LOCAL, RELAXED])
def test_allocating_in_a_capture(driver: SimDriver, mode: int) -> None:
    driver.start("T4")
    stream = driver.stream()
    begin(driver, stream, mode)
    allowed = mode == RELAXED
    driver.allocate(64, status=0 if allowed else 900)
    end(driver, stream, status=0 if allowed else 901)


def test_a_relaxed_thread_may_allocate_in_a_strict_capture(driver: SimDriver) -> None:
    driver.start("T4")
    stream = driver.stream()
    begin(driver, stream)
    mode = c_int(RELAXED)
    driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    driver.free(driver.allocate(64))
    driver.call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    assert mode.value == RELAXED
    end(driver, stream)


@pytest.mark.parametrize(("mode", "status"), [(GLOBAL, 900), (THREAD_LOCAL, 0)])
def test_another_thread_allocates(driver: SimDriver, mode: int, status: int) -> None:
    driver.start("T4")
    stream = driver.stream()
    begin(driver, stream, mode)
    seen = []

    def allocate() -> None:
        driver.call("cuCtxSetCurrent", driver.contexts[0])
        address = c_uint64()
        seen.append(driver.library.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(64)))

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert seen == [status]
    end(driver, stream, status=901 if status else 0)


def test_events_of_a_capture_cannot_be_asked(driver: SimDriver) -> None:
    driver.start("T4")
    stream, event = driver.stream(), driver.event()
    begin(driver, stream)
    record(driver, event, stream)
    driver.call("cuEventQuery", event, status=907)
    end(driver, stream, status=901)
    driver.call("cuEventSynchronize", event, status=907)
    record(driver, event, stream)
    driver.call("cuEventSynchronize", event)


def test_captures_do_not_mix(driver: SimDriver) -> None:
    driver.start("T4")
    first, second, event, old = driver.stream(), driver.stream(), driver.event(), driver.event()
    record(driver, old, first)
    begin(driver, first)
    wait(driver, first, old, status=905)
    end(driver, first, status=901)
    begin(driver, first)
    begin(driver, second)
    record(driver, event, first)
    wait(driver, second, event, status=902)
    end(driver, first, status=901)
    end(driver, second, status=901)


def test_the_legacy_stream_cannot_be_captured_nor_used_beside_a_capture(driver: SimDriver) -> None:
    driver.start("T4")
    memory = driver.allocate(8)
    begin(driver, c_void_p(), status=900)
    blocking = driver.stream(flags=0)
    begin(driver, blocking)
    driver.call("cuMemsetD32Async", memory, c_uint(1), ctypes.c_size_t(1), None, status=906)
    end(driver, blocking, status=901)
    unordered = driver.stream()
    begin(driver, unordered)
    driver.fill(memory, 1, 1)
    end(driver, unordered)


def test_wrong_ends(driver: SimDriver) -> None:
    driver.start("T4")
    stream, other, event = driver.stream(), driver.stream(), driver.event()
    end(driver, stream, status=401)
    begin(driver, stream)
    begin(driver, stream, status=401)
    record(driver, event, stream)
    wait(driver, other, event)
    end(driver, other, status=903)
    seen = []

    def finish() -> None:
        driver.call("cuCtxSetCurrent", driver.contexts[0])
        graph = c_void_p()
        seen.append(driver.library.cuStreamEndCapture(stream, ctypes.byref(graph)))

    thread = threading.Thread(target=finish)
    thread.start()
    thread.join()
    assert seen == [908]
    end(driver, stream)


def test_pageable_memory_is_refused_in_a_capture(driver: SimDriver) -> None:
    driver.start("T4")
    stream, memory = driver.stream(), driver.allocate(4 * COUNT)
    begin(driver, stream)
    driver.write(memory, np.zeros(COUNT, np.float32), stream, status=900)
    end(driver, stream, status=901)


def test_update(driver: SimDriver) -> None:
    driver.start("T4")
    stream, memory = driver.stream(), driver.allocate(8)

    def capture(*values: int) -> c_void_p:
        begin(driver, stream)
        for value in values:
            driver.fill(memory, value, 1, stream)
        return end(driver, stream)

    ready = instantiate(driver, capture(1))
    info = (ctypes.c_uint64 * 8)()
    driver.call("cuGraphExecUpdate_v2", ready, capture(5), info)
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamSynchronize", stream)
    assert driver.download(memory, 1, np.uint32)[0] == 5
    driver.call("cuGraphExecUpdate_v2", ready, capture(1, 2), info, status=910)


def test_a_planned_fault_meets_a_kernel_of_a_graph(driver: SimDriver) -> None:
    driver.start("T4,fault=launch_fail@2")
    stream, memory = driver.stream(), driver.allocate(1024)
    function = driver.function(driver.load(make_cubin(75, RAMP, RAMP_SIZES)), RAMP)
    begin(driver, stream)
    driver.launch(function, 1, RAMP_THREADS, RampArgs(memory.value, 256, 0), stream=stream)
    ready = instantiate(driver, end(driver, stream))
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamSynchronize", stream)
    driver.call("cuGraphLaunch", ready, stream)
    driver.call("cuStreamSynchronize", stream, status=719)

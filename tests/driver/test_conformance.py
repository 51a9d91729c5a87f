"""Rules of the driver that gpukit stands on, asked of the driver in use: simulated, or a real one.

The file is the same in both modes. A rule that a real GPU breaks is a mistake of the simulator:
name it in DIFFERENCES with what the real driver does, and mend the simulator.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from ctypes import c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

import gpukit
from support.sim_driver import DISABLE_TIMING, HOST_FUNCTION, Driver

# Rule -> what a real driver was seen to do instead. Empty: no GPU has been asked yet.
DIFFERENCES: dict[str, str] = {}

COUNT = 100_000
WAIT_SECONDS = 20


@pytest.fixture(scope="module")
def driver() -> Driver:
    """The library that gpukit has open, with the primary contexts that gpukit uses."""
    gpukit.cuda.init()
    opened = Driver(Path(gpukit._core.driver_report()["library"]))
    opened.retain_all()
    return opened


@pytest.fixture(autouse=True)
def current(driver: Driver) -> None:
    """The first device is current on the test's thread."""
    driver.call("cuCtxSetCurrent", driver.contexts[0])


class Gate:
    """Holds a stream until it is opened."""

    def __init__(self, driver: Driver) -> None:
        self.opened = threading.Event()
        self.entered = threading.Event()
        self.function = HOST_FUNCTION(self._hold)
        self.driver = driver

    def _hold(self, _: object) -> None:
        self.entered.set()
        self.opened.wait(WAIT_SECONDS)

    def close(self, stream: c_void_p | None) -> None:
        self.driver.call("cuLaunchHostFunc", stream, self.function, None)


@pytest.fixture
def gate(driver: Driver) -> Iterator[Gate]:
    """A gate that is opened at the end, whatever happens."""
    made = Gate(driver)
    yield made
    made.opened.set()
    driver.call("cuCtxSynchronize")


def query(driver: Driver, event: c_void_p) -> int:
    return int(driver.library.cuEventQuery(event))


def test_devices(driver: Driver) -> None:
    device = c_int()
    driver.call("cuDeviceGet", ctypes.byref(device), 0)
    driver.call("cuDeviceGet", ctypes.byref(device), 1000, status=101)
    driver.call("cuDeviceGetAttribute", ctypes.byref(device), 100_000, 0, status=1)
    driver.call("cuDeviceCanAccessPeer", ctypes.byref(device), 0, 0)
    assert device.value == 0
    assert driver.attribute(75) * 10 + driver.attribute(76) >= 50
    assert driver.name()


def test_errors_have_names(driver: Driver) -> None:
    text = ctypes.c_char_p()
    driver.call("cuGetErrorName", 700, ctypes.byref(text))
    assert text.value == b"CUDA_ERROR_ILLEGAL_ADDRESS"
    driver.call("cuGetErrorName", 54321, ctypes.byref(text), status=1)


def test_a_thread_without_a_context(driver: Driver) -> None:
    seen: list[int] = []

    def allocate() -> None:
        address = c_uint64()
        seen.append(driver.library.cuMemAlloc_v2(ctypes.byref(address), c_size_t(64)))

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert seen == [201]


def test_allocations(driver: Driver) -> None:
    driver.allocate(0, status=1)
    address = driver.allocate(1000)
    assert address.value % 256 == 0
    driver.free(address)
    driver.free(c_uint64(0))
    driver.allocate(1 << 50, status=2)
    free, total = c_size_t(), c_size_t()
    driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    assert 0 < free.value <= total.value


def test_what_a_pointer_is(driver: Driver) -> None:
    kind = c_uint()
    on_device, on_host = driver.allocate(64), driver.pinned(16)
    plain = np.zeros(16)
    for address, status, memory_type in (
        (on_device.value, 0, 2),
        (on_host.ctypes.data, 0, 1),
        (plain.ctypes.data, 1, 0),
    ):
        arguments = (ctypes.byref(kind), 2, c_uint64(address))
        driver.call("cuPointerGetAttribute", *arguments, status=status)
        assert status or kind.value == memory_type
    driver.free(on_device)


def test_registering_host_memory(driver: Driver) -> None:
    array = np.zeros(8192, np.uint8)
    start = c_void_p((array.ctypes.data + 4095) // 4096 * 4096)
    driver.call("cuMemHostRegister_v2", start, c_size_t(4096), 0)
    driver.call("cuMemHostRegister_v2", start, c_size_t(4096), 0, status=712)
    driver.call("cuMemHostUnregister", start)
    driver.call("cuMemHostUnregister", start, status=713)


def test_event_rules(driver: Driver) -> None:
    never, timed, untimed = driver.event(), driver.event(), driver.event(DISABLE_TIMING)
    driver.call("cuEventQuery", never)
    driver.call("cuEventSynchronize", never)
    driver.call("cuEventRecord", timed, None)
    driver.call("cuEventRecord", untimed, None)
    driver.call("cuCtxSynchronize")
    elapsed = c_float()
    for first, second in ((never, timed), (untimed, timed)):
        arguments = (ctypes.byref(elapsed), first, second)
        driver.call("cuEventElapsedTime", *arguments, status=400)
    assert driver.elapsed_ms(timed, timed) == 0
    driver.call("cuEventCreate", ctypes.byref(c_void_p()), 4, status=1)
    driver.call("cuStreamCreate", ctypes.byref(c_void_p()), 64, status=1)


def test_an_event_that_is_not_reached(driver: Driver, gate: Gate) -> None:
    stream, first, second = driver.stream(), driver.event(), driver.event()
    driver.call("cuEventRecord", first, stream)
    gate.close(stream)
    driver.call("cuEventRecord", second, stream)
    assert gate.entered.wait(WAIT_SECONDS)
    assert query(driver, second) == 600
    driver.call("cuStreamQuery", stream, status=600)
    elapsed = c_float()
    driver.call("cuEventElapsedTime", ctypes.byref(elapsed), first, second, status=600)
    gate.opened.set()
    driver.call("cuEventSynchronize", second)
    assert driver.elapsed_ms(first, second) >= 0


def test_streams_without_order(driver: Driver, gate: Gate) -> None:
    held, free_one, done = driver.stream(), driver.stream(), driver.event()
    gate.close(held)
    driver.call("cuEventRecord", done, free_one)
    driver.call("cuStreamSynchronize", free_one)
    assert query(driver, done) == 0


def test_the_legacy_stream_waits_for_blocking_streams_only(driver: Driver, gate: Gate) -> None:
    blocking, done = driver.stream(flags=0), driver.event()
    gate.close(blocking)
    driver.call("cuEventRecord", done, None)
    assert gate.entered.wait(WAIT_SECONDS)
    assert query(driver, done) == 600
    gate.opened.set()
    driver.call("cuEventSynchronize", done)


def test_a_wait_is_for_the_record_before_it(driver: Driver, gate: Gate) -> None:
    first, second, event = driver.stream(), driver.stream(), driver.event()
    driver.call("cuEventRecord", event, first)
    driver.call("cuStreamWaitEvent", second, event, 0)
    gate.close(first)
    driver.call("cuEventRecord", event, first)
    driver.call("cuStreamSynchronize", second)


def test_pinned_downloads_do_not_block_and_pageable_ones_do(driver: Driver, gate: Gate) -> None:
    stream, memory, pinned = driver.stream(), driver.allocate(4 * COUNT), driver.pinned(COUNT)
    driver.fill(memory, 7, COUNT, stream)
    gate.close(stream)
    driver.read_into(pinned, memory, stream)  # returns immediately
    assert not gate.opened.is_set()
    timer = threading.Timer(0.2, gate.opened.set)
    timer.start()
    pageable = np.zeros(COUNT, np.uint32)
    driver.read_into(pageable, memory, stream)  # returns when it is there
    assert gate.opened.is_set()
    assert (pageable == 7).all()
    driver.call("cuStreamSynchronize", stream)
    assert (pinned.view(np.uint32) == 7).all()
    driver.free(memory)


def test_copies_between_contexts(driver: Driver) -> None:
    source, last = driver.upload(np.arange(COUNT, dtype=np.uint32)), driver.contexts[-1]
    driver.call("cuCtxSetCurrent", last)
    target = driver.allocate(4 * COUNT)
    arguments = (target, last, source, driver.contexts[0], c_size_t(4 * COUNT), None)
    driver.call("cuMemcpyPeerAsync", *arguments)
    driver.call("cuCtxSynchronize")
    assert (driver.download(target, COUNT, np.uint32) == np.arange(COUNT)).all()
    driver.free(target)
    driver.call("cuCtxSetCurrent", driver.contexts[0])
    driver.free(source)


def test_host_functions_run_in_order(driver: Driver) -> None:
    seen: list[int] = []
    functions = [HOST_FUNCTION(lambda _, i=i: seen.append(i)) for i in range(5)]
    stream = driver.stream()
    for function in functions:
        driver.call("cuLaunchHostFunc", stream, function, None)
    driver.call("cuStreamSynchronize", stream)
    assert seen == [0, 1, 2, 3, 4]


def test_images(driver: Driver) -> None:
    driver.load(b"this is no image", status=200)


def test_a_captured_stream(driver: Driver) -> None:
    stream, memory = driver.stream(), driver.allocate(64)
    graph, ready = c_void_p(), c_void_p()
    driver.call("cuStreamBeginCapture_v2", None, 1, status=900)
    driver.call("cuStreamBeginCapture_v2", stream, 1)
    driver.fill(memory, 3, 16, stream)
    driver.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    driver.call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, c_uint64(0))
    for value in (1, 2):
        driver.fill(memory, value, 16, stream)
        driver.call("cuGraphLaunch", ready, stream)
        driver.call("cuStreamSynchronize", stream)
        assert (driver.download(memory, 16, np.uint32) == 3).all()
    driver.call("cuGraphExecDestroy", ready)
    driver.call("cuGraphDestroy", graph)
    driver.free(memory)


def test_waiting_spoils_a_capture(driver: Driver) -> None:
    stream, graph = driver.stream(), c_void_p()
    driver.call("cuStreamBeginCapture_v2", stream, 1)
    driver.call("cuStreamSynchronize", stream, status=900)
    driver.call("cuStreamEndCapture", stream, ctypes.byref(graph), status=901)
    assert not graph
    driver.call("cuStreamSynchronize", stream)


def test_known_differences_name_rules() -> None:
    rules = {name for name in globals() if name.startswith("test_")}
    assert set(DIFFERENCES) <= rules

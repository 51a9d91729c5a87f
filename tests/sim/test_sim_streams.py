"""Streams and events: what is asynchronous, what waits for what, and what time it then is."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from ctypes import byref, c_float, c_size_t

import psutil
import pytest

from support.sim_driver import DISABLE_TIMING, HOST_FUNCTION, NON_BLOCKING, SimDriver

NOT_READY = 600
BLOCKING = 0
WORDS = 1024


class Gate:
    """A host function that holds its stream until it is opened."""

    def __init__(self, driver: SimDriver) -> None:
        self._driver = driver
        self._open = threading.Event()
        self._entered = threading.Event()
        self._function = HOST_FUNCTION(self._wait)
        self.status_inside = -1

    def _wait(self, _: object) -> None:
        self._entered.set()
        self.status_inside = self._driver.library.cuCtxSynchronize()
        self._open.wait(10)

    def close(self, stream: object) -> None:
        """Queue the gate."""
        self._driver.call("cuLaunchHostFunc", stream, self._function, None)

    def wait_until_reached(self) -> None:
        """Wait until the stream stands at the gate."""
        assert self._entered.wait(10)

    def open(self) -> None:
        """Let the stream go on."""
        self._open.set()


@pytest.fixture
def gate(driver: SimDriver) -> Iterator[Gate]:
    driver.start("2xT4")
    made = Gate(driver)
    yield made
    made.open()
    driver.call("cuCtxSynchronize")


def test_work_is_queued_and_not_done_at_the_call(driver: SimDriver, gate: Gate) -> None:
    stream, words = driver.stream(), driver.allocate(4 * WORDS)
    source = driver.pinned(WORDS)
    source[:] = 1
    gate.close(stream)
    driver.write(words, source, stream)
    driver.call("cuStreamQuery", stream, status=NOT_READY)
    source[:] = 2  # a pinned source is read when the stream gets there
    gate.open()
    driver.call("cuStreamSynchronize", stream)
    assert (driver.download(words, WORDS, "f4") == 2).all()


def test_no_call_is_permitted_in_a_host_function(driver: SimDriver, gate: Gate) -> None:
    stream = driver.stream()
    gate.close(stream)
    gate.open()
    driver.call("cuStreamSynchronize", stream)
    assert gate.status_inside == 800


def test_streams_do_not_wait_for_each_other(driver: SimDriver, gate: Gate) -> None:
    held, free = driver.stream(), driver.stream()
    words = driver.allocate(4 * WORDS)
    gate.close(held)
    driver.fill(words, 5, WORDS, free)
    driver.call("cuStreamSynchronize", free)
    driver.call("cuStreamQuery", held, status=NOT_READY)


def test_a_wait_is_for_the_record_made_before_it(driver: SimDriver, gate: Gate) -> None:
    held, other = driver.stream(), driver.stream()
    event = driver.event(DISABLE_TIMING)
    driver.call("cuEventQuery", event)  # never recorded: nothing to wait for
    gate.close(held)
    driver.call("cuEventRecord", event, held)
    driver.call("cuStreamWaitEvent", other, event, 0)
    driver.call("cuEventRecord", event, driver.stream())
    driver.call("cuEventSynchronize", event)
    driver.call("cuStreamQuery", other, status=NOT_READY)
    gate.open()
    driver.call("cuStreamSynchronize", other)


def test_the_legacy_stream_waits_for_blocking_streams(driver: SimDriver, gate: Gate) -> None:
    blocking, words = driver.stream(BLOCKING), driver.allocate(4 * WORDS)
    gate.close(blocking)
    driver.fill(words, 1, WORDS, blocking)
    driver.fill(words, 2, WORDS, None)
    driver.call("cuStreamQuery", None, status=NOT_READY)
    gate.open()
    driver.call("cuStreamSynchronize", None)
    assert (driver.download(words, WORDS, "u4") == 2).all()


def test_blocking_streams_wait_for_the_legacy_stream(driver: SimDriver, gate: Gate) -> None:
    gate.close(None)
    blocking, free = driver.stream(BLOCKING), driver.stream(NON_BLOCKING)
    words = driver.allocate(8 * WORDS)
    driver.fill(words, 1, WORDS, blocking)
    driver.fill(words, 1, WORDS, free)
    driver.call("cuStreamSynchronize", free)
    driver.call("cuStreamQuery", blocking, status=NOT_READY)
    gate.open()
    driver.call("cuStreamSynchronize", blocking)


def test_destroying_a_stream_lets_its_work_finish(driver: SimDriver, gate: Gate) -> None:
    stream, words = driver.stream(), driver.allocate(4 * WORDS)
    gate.close(stream)
    driver.fill(words, 9, WORDS, stream)
    driver.call("cuStreamDestroy_v2", stream)
    gate.open()
    driver.call("cuCtxSynchronize")
    assert (driver.download(words, WORDS, "u4") == 9).all()


def test_a_reset_wakes_who_waits(driver: SimDriver) -> None:
    driver.start("T4")
    gate, stream, statuses = Gate(driver), driver.stream(), []
    gate.close(stream)
    gate.wait_until_reached()

    def wait() -> None:
        driver.call("cuCtxSetCurrent", driver.contexts[0])
        statuses.append(driver.library.cuStreamSynchronize(stream))

    thread = threading.Thread(target=wait)
    thread.start()
    while driver.library.gpukitSimCallCount(b"cuStreamSynchronize") == 0:
        time.sleep(0.001)
    driver.library.gpukitSimReset()
    gate.open()
    thread.join(10)
    assert statuses == [4]


def test_time_is_the_models_and_exact(driver: SimDriver) -> None:
    driver.start("T4,link_gbps=10,latency_us=8,launch_us=5")
    stream, source = driver.stream(), driver.pinned(1_000_000)
    words = driver.allocate(4_000_000)
    events = [driver.event() for _ in range(3)]
    driver.call("cuEventRecord", events[0], stream)
    driver.write(words, source, stream)
    driver.call("cuEventRecord", events[1], stream)
    for _ in range(10):
        driver.fill(words, 0, 10, stream)
    driver.call("cuEventRecord", events[2], stream)
    driver.call("cuStreamSynchronize", stream)
    assert driver.elapsed_ms(events[0], events[1]) == pytest.approx(0.408, rel=1e-5)
    assert driver.elapsed_ms(events[1], events[2]) == pytest.approx(0.05, rel=1e-4)
    assert driver.library.gpukitSimClockMs(0) == pytest.approx(0.458, rel=1e-5)
    assert driver.library.gpukitSimClockMs(7) < 0


def test_one_direction_of_the_link_is_shared_and_the_two_are_not(driver: SimDriver) -> None:
    driver.start("T4,link_gbps=1,latency_us=0")
    source, words = driver.pinned(250_000), driver.allocate(2_000_000)
    start = driver.event()
    driver.call("cuEventRecord", start, None)
    ends = []
    for upload in (True, True, False):
        stream = driver.stream()
        (driver.write if upload else lambda a, h, s: driver.read_into(h, a, s))(
            words, source, stream
        )
        ends.append(driver.event())
        driver.call("cuEventRecord", ends[-1], stream)
    driver.call("cuCtxSynchronize")
    assert [driver.elapsed_ms(start, end) for end in ends] == pytest.approx([1, 2, 1], rel=1e-4)


def test_times_that_cannot_be_told(driver: SimDriver) -> None:
    driver.start("T4")
    first, second, untimed = driver.event(), driver.event(), driver.event(DISABLE_TIMING)
    value = c_float()
    driver.call("cuEventElapsedTime", byref(value), first, second, status=400)
    driver.call("cuEventRecord", first, None)
    driver.call("cuEventRecord", untimed, None)
    driver.call("cuCtxSynchronize")
    driver.call("cuEventElapsedTime", byref(value), first, untimed, status=400)


def test_real_time_is_slept(driver: SimDriver) -> None:
    driver.start("T4,realtime=1,link_gbps=1,latency_us=0")
    source, words, stream = driver.pinned(25_000_000), driver.allocate(100_000_000), driver.stream()
    first, second = driver.event(), driver.event()
    began = time.perf_counter()
    driver.call("cuEventRecord", first, stream)
    driver.write(words, source, stream)
    driver.call("cuEventRecord", second, stream)
    queued = time.perf_counter() - began
    driver.call("cuStreamSynchronize", stream)
    whole = time.perf_counter() - began
    assert whole >= 0.1
    assert queued < whole / 2
    assert driver.elapsed_ms(first, second) >= 95


def test_streams_report_what_they_are(driver: SimDriver) -> None:
    driver.start("T4")
    stream, size = driver.stream(BLOCKING), c_size_t(0)
    driver.call("cuMemcpyHtoDAsync_v2", driver.allocate(4), None, size, stream)
    driver.call("cuStreamCreate", byref(stream), 4, status=1)


def test_a_wait_queues_nothing(driver):
    driver.start("1xT4")
    stream = driver.stream()
    threads = psutil.Process().num_threads()
    driver.call("cuStreamSynchronize", stream)
    assert psutil.Process().num_threads() == threads

"""Every call that may wait: other threads run meanwhile, Ctrl-C ends it, bad arguments are told."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

import gpukit
from gpukit.bench.ticker import Freedom, freedom_during
from support.entry_points import ALIKE, BAD, CALLS, QUEUES, World
from support.simulation import simulation

LINK_GBPS = 0.05
# A thread that has the GIL and no core holds up others. So a try that fails counts only where
# doing nothing succeeds right behind it. The tries that succeed must outnumber the others by 2; by
# 5 the others must outnumber them, for on a busy machine two bad moments follow each other.
# What the calling thread computes (a Python event loop needs milliseconds) does not count as
# waiting. It is bounded, so that a call which polls without a pause is found.
QUEUE_S = 0.1
SHARE_KEPT = 0.97
LONGEST_STALL_S = 0.01
MOST_WORK_S = QUEUE_S / 4
TRIES = 20
LEAD, LAG = 2, 5
ALONE = freedom_during(lambda: time.sleep(0.1))
CTRL_C_AFTER_S = 0.03
CTRL_C_WITHIN_S = 0.1


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with simulation(1, "T4", realtime=True, link_gbps=LINK_GBPS):
        made = World(LINK_GBPS * 1e9)
        made.rest()
        yield made
        made.rest()


def test_every_call_that_says_it_waits_has_a_row():
    says = {name for name, _, _, waits in gpukit._core.entry_points() if waits}
    assert says - set(CALLS) - QUEUES - ALIKE == set()


def mostly(attempt: Callable[[], bool], control: Callable[[], bool]) -> bool:
    """True when attempts succeed; those of moments in which even the control fails do not count."""
    lead = 0
    for _ in range(TRIES):
        if attempt():
            lead += 1
        elif control():
            lead -= 1
        if lead >= LEAD or lead <= -LAG:
            break
    return lead >= LEAD


@dataclass(frozen=True)
class Try:
    """What a Python thread got done during a call, and how long the call itself computed."""

    seen: Freedom
    worked: float

    def is_free(self) -> bool:
        lost = (1 - self.seen.share(ALONE)) * self.seen.seconds - self.worked
        return (
            self.worked < MOST_WORK_S
            and lost <= (1 - SHARE_KEPT) * self.seen.seconds
            and self.seen.longest_stall - self.worked < LONGEST_STALL_S
        )


def tried(call: Callable[[], object]) -> Try:
    worked: list[float] = []

    def timed() -> None:
        begin = time.thread_time()
        call()
        worked.append(time.thread_time() - begin)

    seen = freedom_during(timed)
    return Try(seen, worked[0])


def nothing_holds_others() -> bool:
    return tried(lambda: time.sleep(QUEUE_S)).is_free()


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_meanwhile(name, world):
    def call() -> None:
        world.busy(QUEUE_S)
        CALLS[name](world)

    def attempt() -> bool:
        tries.append(tried(call))
        world.rest()
        assert tries[-1].seen.seconds > QUEUE_S / 2, "the call did not wait: it proves nothing"
        return tries[-1].is_free()

    tries: list[Try] = []
    assert mostly(attempt, nothing_holds_others), f"another thread was held up: {tries}"


def held(seconds: float) -> None:
    """Waits with Python's lock in hand."""
    ctypes.PyDLL(None).usleep(int(1e6 * seconds))


@pytest.mark.parametrize("free_once_in", [1, 2, 20, 1000])
def test_a_call_that_holds_the_lock_most_times_is_found(free_once_in):
    """One free try in twenty proves nothing: the call under test must be free each time."""
    calls = []

    def attempt() -> bool:
        calls.append(1)
        wait = time.sleep if len(calls) % free_once_in == 0 else held
        return tried(lambda: wait(QUEUE_S)).is_free()

    assert mostly(attempt, nothing_holds_others) == (free_once_in == 1)


@pytest.mark.parametrize(
    ("held", "worked", "free"),
    [(0.001, 0.0, True), (0.012, 0.0095, True), (0.012, 0.001, False), (0.05, 0.05, False)],
)
def test_work_of_the_call_is_no_waiting_unless_it_polls(held, worked, free):
    seen = Freedom(seconds=0.14, rate=3e6, longest_stall=0.003, held=held, cores=0.1)
    assert Try(seen, worked).is_free() == free


def interrupted_after(call) -> float:
    """Seconds from the signal to the KeyboardInterrupt.

    No collection runs meanwhile: Hypothesis has a callback in them, where Python loses exceptions.
    """
    sent = []

    def send() -> None:
        time.sleep(CTRL_C_AFTER_S)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    gc.disable()
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            call()
            time.sleep(1)  # the call was quicker than the signal
        return time.perf_counter() - sent[0]
    finally:
        thread.join()
        gc.enable()


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_the_wait(name, world):
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    late = []

    def attempt() -> bool:
        world.busy(0.3)
        late.append(interrupted_after(lambda: CALLS[name](world)))
        world.rest()
        return late[-1] < CTRL_C_WITHIN_S

    try:
        ended = mostly(
            attempt, lambda: interrupted_after(lambda: time.sleep(0.3)) < CTRL_C_WITHIN_S
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended, late
    assert world.x.sum().item() == 128.0
    CALLS[name](world)


def test_the_users_handler_is_kept(world):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(time.perf_counter()))
    try:
        world.busy(0.15)
        timer = threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.perf_counter()
        assert world.one.item() == 3  # the handler ran and the wait went on
        took = time.perf_counter() - begin
        timer.join()
        assert signal.getsignal(signal.SIGINT) is not before
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(seen) == 1
    assert seen[0] - begin < took


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_typed(name, world):
    call, error, text = BAD[name]
    with pytest.raises(error, match=text) as caught:
        call(world)
    assert str(caught.value)
    assert type(caught.value) is not RuntimeError
    CALLS[name](world)

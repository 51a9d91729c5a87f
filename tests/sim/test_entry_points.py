"""Every call that may wait: other threads run meanwhile, Ctrl-C ends it, bad arguments are told."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

import gpukit
from gpukit.bench.ticker import freedom_during
from support.entry_points import BAD, CALLS, QUEUES, World
from support.simulation import simulation

LINK_GBPS = 0.05
# A thread that has the GIL and no core holds up others: a busy machine gets several tries.
QUEUE_S = 0.1
SHARE_KEPT = 0.97
LONGEST_STALL_S = 0.01
TRIES = 20
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
    assert says - set(CALLS) - QUEUES == set()


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_meanwhile(name, world):
    def call() -> None:
        world.busy(QUEUE_S)
        CALLS[name](world)

    seen = []
    for _ in range(TRIES):
        seen.append(freedom_during(call))
        world.rest()
        assert seen[-1].seconds > QUEUE_S / 2, "the call did not wait: it proves nothing"
        kept = seen[-1].share(ALONE)
        if kept >= SHARE_KEPT and seen[-1].longest_stall < LONGEST_STALL_S:
            return
    pytest.fail(f"another thread was held up: {seen}")


def interrupted_after(call) -> float:
    """Seconds from the signal to the KeyboardInterrupt."""
    sent = []

    def send() -> None:
        time.sleep(CTRL_C_AFTER_S)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            call()
            time.sleep(1)  # the call was quicker than the signal
        return time.perf_counter() - sent[0]
    finally:
        thread.join()


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_the_wait(name, world):
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    late = []
    try:
        for _ in range(TRIES):
            world.busy(0.3)
            late.append(interrupted_after(lambda: CALLS[name](world)))
            world.rest()
            if late[-1] < CTRL_C_WITHIN_S:
                break
    finally:
        signal.signal(signal.SIGINT, before)
    assert min(late) < CTRL_C_WITHIN_S
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

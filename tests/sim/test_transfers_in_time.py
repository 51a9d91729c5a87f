"""Copies that take their time: who waits, and for how long.

A call that does not wait is seen by a result that is not ready, a call that waits by the time since
the copy began. A busy machine makes any time longer, so no single time has an upper bound.
"""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

import gpukit
from gpukit.errors import DeviceError, TransferError
from support.patience import holds
from support.simulation import simulation

# At 0.1 GB/s a copy of 16 MB takes 160 ms.
SLOW = {"realtime": True, "link_gbps": 0.1}
COUNT = 4_000_000
COPY_S = 0.16


@pytest.fixture
def slow():
    with simulation(2, "T4", **SLOW) as running:
        gpukit.ones(1, device="cuda:0").cpu(non_blocking=True).wait()
        gpukit.ones(1 << 19).to("cuda:0", non_blocking=True).wait()
        yield running


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def test_a_pageable_upload_returns_at_once(slow):
    x = gpukit.from_numpy(np.full(COUNT, 3.0, np.float32))
    begin = time.perf_counter()
    y = x.to("cuda:0", non_blocking=True)
    assert not y.ready()
    with pytest.raises(TimeoutError, match=r"0\.01"):
        y.wait(0.01)
    assert y.max().item() == 3.0
    assert time.perf_counter() - begin >= COPY_S
    assert y.ready()


def test_a_download_returns_at_once(slow):
    y = gpukit.full((COUNT,), 2.0, device="cuda:0").wait()
    begin = time.perf_counter()
    x = y.cpu(non_blocking=True)
    assert not x.ready()
    with pytest.raises(TimeoutError):
        x.wait(timeout=0.01)
    assert x[-1].item() == 2.0
    assert time.perf_counter() - begin >= COPY_S


def test_a_download_into_pageable_memory_returns_at_once(slow):
    y = gpukit.full((COUNT,), 2.0, device="cuda:0").wait()
    home = gpukit.zeros(COUNT)
    for _ in range(3):  # buffers are pinned, which the next copy finds
        home.copy_(y, non_blocking=True)
        home.wait()
        gpukit.synchronize("cuda:0")
    begin = time.perf_counter()
    home.copy_(y, non_blocking=True)
    assert not home.ready()
    assert home.sum().item() == 2.0 * COUNT
    assert time.perf_counter() - begin >= COPY_S


def test_a_write_to_the_source_waits(slow):
    x = gpukit.full((3 * COUNT,), 1.0)  # three times what the ring holds
    begin = time.perf_counter()
    y = x.to("cuda:0", non_blocking=True)
    x.fill_(5.0)
    assert time.perf_counter() - begin >= 2 * COPY_S
    assert y.max().item() == 1.0
    z = x.to("cuda:0", non_blocking=True)
    x.sum()
    assert not z.ready()
    assert z.min().item() == 5.0


def test_the_loop_goes_on_during_an_await(slow):
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.002)
            ticks += 1

    async def main():
        ticker = asyncio.ensure_future(tick())
        y = await gpukit.ones(COUNT, device="cuda:0").to("cpu", non_blocking=True)
        ticker.cancel()
        return y.sum().item()

    assert asyncio.run(main()) == COUNT
    assert ticks > 10


def test_two_directions_at_once(slow):
    up, down = gpukit.ones(COUNT), gpukit.ones(COUNT, device="cuda:0").wait()
    down.cpu(non_blocking=True).wait()  # memory for the copies exists from now on

    def both():
        y = up.to("cuda:0", non_blocking=True)
        x = down.cpu(non_blocking=True)
        y.wait()
        x.wait()

    assert holds(lambda: seconds(both) < 1.6 * COPY_S)


def test_to_cpu_waits_once(slow):
    state = [gpukit.full((COUNT // 8,), float(i), device=f"cuda:{i % 2}") for i in range(8)]
    gpukit.synchronize("cuda:0")
    gpukit.to_cpu(state)

    def copied() -> None:
        home = gpukit.to_cpu(state)
        assert [x[0].item() for x in home] == list(range(8))

    assert holds(lambda: seconds(copied) < 0.9 * COPY_S)  # both links at once


def test_the_end_of_the_simulation_under_way():
    with simulation(1, "T4", **SLOW):
        y = gpukit.ones(COUNT).to("cuda:0", non_blocking=True)
        x = gpukit.ones(COUNT, device="cuda:0").cpu(non_blocking=True)
    with pytest.raises((DeviceError, TransferError), match="ended"):
        y.sum()
    with pytest.raises((DeviceError, TransferError), match="ended"):
        x.sum()
    assert gpukit.ones(2, device="cuda:0").sum().item() == 2.0


def test_a_failed_copy_fails_where_it_is_used():
    with simulation(1, "T4", fault="fail:cuMemcpyHtoDAsync:719@3+"):
        x = gpukit.ones(8 << 20)
        y = x.to("cuda:0", non_blocking=True)
        for _ in range(2):
            with pytest.raises((TransferError, DeviceError), match=r"719|LAUNCH_FAILED|lost"):
                y.sum().item()
        assert x.sum().item() == 8 << 20


def test_small_uploads_do_not_wait_for_each_other(slow):
    small = [gpukit.full((1 << 17,), float(i)) for i in range(12)]  # 5 ms each
    gpukit.to(small, "cuda:0")
    gpukit.synchronize("cuda:0")

    def moved_at_once() -> bool:
        moved = gpukit.to(small, "cuda:0")
        at_once = not moved[-1].ready()
        assert [x.min().item() for x in moved] == [float(i) for i in range(12)]
        return at_once

    assert holds(moved_at_once)

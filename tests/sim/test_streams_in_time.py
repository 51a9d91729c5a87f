"""Streams of cards that take their time, and what a process sets by its environment."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import gpukit
from gpukit import cuda
from support.simulation import simulation


def test_elapsed_time_is_that_of_the_work():
    with simulation(1, "T4", realtime=True, link_gbps=0.2):
        x = gpukit.empty(4_000_000).pin_memory()  # 80 ms
        start, end = (cuda.Event(enable_timing=True) for _ in range(2))
        x.to("cuda:0", non_blocking=True).wait()
        start.record()
        x.to("cuda:0", non_blocking=True)
        end.record()
        assert not end.query()
        with pytest.raises(gpukit.GpukitError, match="not complete"):
            start.elapsed_time(end)
        end.synchronize()
        assert 75 < start.elapsed_time(end) < 200


def test_two_streams_copy_at_the_same_time_in_two_directions():
    with simulation(1, "T4", realtime=True, link_gbps=0.2):
        up = gpukit.ones(4_000_000).pin_memory()
        down = gpukit.ones(4_000_000, device="cuda:0")
        home = gpukit.empty(4_000_000).pin_memory()
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        up.to("cuda:0")

        def both() -> float:
            begin = time.perf_counter()
            y = up.to("cuda:0", non_blocking=True)
            with cuda.stream(side):
                home.copy_(down, non_blocking=True)
            gpukit.synchronize("cuda:0")
            assert y.ready()
            return time.perf_counter() - begin

        assert min(both() for _ in range(3)) < 0.14
        assert home.sum().item() == 4_000_000


@pytest.mark.parametrize("peer", [True, False])
def test_peer_copies(peer):
    text = "2xT4" if peer else "2xT4,peer=0"
    program = f"""
import gpukit
from gpukit import cuda
assert cuda.can_device_access_peer(0, 1) is {peer}
for count in (1, 1000, 3 << 20):
    x = gpukit.arange(count, dtype="float32", device="cuda:0")
    y = x.to("cuda:1")
    x.fill_(-1)
    z = gpukit.empty(count, device="cuda:0").copy_(y, non_blocking=True)
    y.zero_()
    assert gpukit.equal(z.cpu(), gpukit.arange(count, dtype="float32")), count
    t = gpukit.ones(3, count, device="cuda:1").T.to("cuda:0")
    assert t.shape == (count, 3) and t.sum().item() == 3 * count
print("good")
"""
    assert run(program, GPUKIT_SIMULATE=text) == "good"


def run(program: str, **environment: str) -> str:
    import os

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_fraction_of_the_environment():
    program = """
import gpukit
try:
    gpukit.empty(3 << 28, device="cuda:0")
except gpukit.OutOfMemoryError as error:
    print(error.total >> 20)
gpukit.empty(1 << 26, device="cuda:0")
"""
    text = run(program, GPUKIT_SIMULATE="1xT4,mem=4GiB", GPUKIT_MEM_FRACTION="0.25")
    assert text == "1024"
    assert run(program, GPUKIT_SIMULATE="1xT4,mem=4GiB", GPUKIT_MEM_FRACTION="lots") == ""


@pytest.mark.parametrize("pool", ["cuda_async", "none"])
def test_the_pool_of_the_environment(pool):
    program = """
import gpukit
x = gpukit.ones(1000, device="cuda:0")
print(gpukit.config.get_pool(), x.sum().item(), gpukit.cuda.memory_reserved() > 1 << 20)
"""
    assert run(program, GPUKIT_POOL=pool).split() == [pool, "1000.0", "False"]
    assert run(program, GPUKIT_POOL="ring").split() == ["pool", "1000.0", "True"]


def test_the_debug_mode_of_the_environment():
    program = """
import gpukit
x = gpukit.ones(3, device="cuda:0")
print(gpukit.cuda.get_sync_debug_mode())
try:
    x.sum().item()
except gpukit.GpukitError as error:
    print("item" in str(error))
"""
    assert run(program, GPUKIT_SYNC_DEBUG="error").split() == ["2", "True"]


def test_first_use_takes_little_memory():
    program = """
import gpukit
free = gpukit.cuda.mem_get_info(0)[0]
x = gpukit.rand(64, 64, device="cuda:0")
(x @ x).sum().item()
x.to("cpu", non_blocking=True).wait()
gpukit.ones(1 << 20).to("cuda:0", non_blocking=True).wait()
print(free - gpukit.cuda.mem_get_info(0)[0])
"""
    for card in ("T4", "H100"):
        if card == "H100" and 90 not in architectures():
            continue  # a build for one architecture only
        assert int(run(program, GPUKIT_SIMULATE=f"1x{card}")) <= 64 << 20


def architectures() -> set[int]:
    return {int(name.split("_")[1]) for name in cuda.get_arch_list()}

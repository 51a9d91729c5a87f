"""Ray's object store and workers carry tensors: without a copy, and after workers die."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import ray
from engines.test_mpi import descendants, open_ports, socket_inodes

import gpukit

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.long,
    pytest.mark.timeout(115),
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two workers on the loopback device, no dashboard, no usage report."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=600 << 20,
        log_to_driver=False,
        logging_level="ERROR",
    )
    yield
    ray.shutdown()


def test_tensors_come_back_equal_and_two_gets_share_memory() -> None:
    x = gpukit.arange(1_000_000.0)
    reference = ray.put(x)
    first, second = ray.get(reference), ray.get(reference)
    assert gpukit.equal(first, x)
    assert first.data_ptr() == second.data_ptr()
    with pytest.raises(ValueError, match=r"read-only memory.*clone"):
        first.add_(1)
    assert first.clone().add_(1)[0].item() == 1.0


def test_a_task_takes_and_gives_tensors() -> None:
    @ray.remote
    def doubled(x: gpukit.Tensor) -> gpukit.Tensor:
        return x * 2

    x = gpukit.arange(100_000.0)
    assert gpukit.equal(ray.get(doubled.remote(ray.put(x))), x * 2)


def best(call: Callable[[], Any], rounds: int = 7) -> float:
    """Milliseconds: the smallest of several."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1e3)
    return min(times)


def test_get_of_100_mb_copies_nothing(record_property: Callable[[str, object], None]) -> None:
    """Beside NumPy's array of as many bytes, in one run."""
    things = {"gpukit": gpukit.ones(25_000_000), "numpy": np.ones(25_000_000, np.float32)}
    found = {}
    for name, thing in things.items():
        reference = ray.put(thing)
        found[name] = (best(lambda t=thing: ray.put(t), 3), best(lambda r=reference: ray.get(r)))
        del reference
    for name, (put, get) in found.items():
        record_property(name, f"put {put:.2f} ms, get {get:.3f} ms")
        print(f"\n{name}: put {put:.2f} ms, get {get:.3f} ms of 100 MB")
    assert found["gpukit"][1] < 1.0


@ray.remote(max_retries=20)
def part(x: gpukit.Tensor, number: int) -> gpukit.Tensor:
    """A part of a sum, slow enough to be killed in."""
    time.sleep(0.1)
    return x[number * 1000 : (number + 1) * 1000].sum()


@pytest.mark.parametrize("seed", range(4))
def test_killed_workers_lose_nothing(seed: int) -> None:
    """Five kills at random moments of each of four runs."""
    draw = np.random.default_rng(seed)
    x = gpukit.arange(60_000.0)
    reference = ray.put(x)
    wanted = x.reshape(60, 1000).sum(1)
    parts = [part.remote(reference, number) for number in range(60)]
    for _ in range(5):
        time.sleep(float(draw.uniform(0, 0.4)))
        end = time.monotonic() + 15
        while not (running := workers()):
            assert time.monotonic() < end
        os.kill(running[0], signal.SIGKILL)
    assert gpukit.equal(gpukit.stack(ray.get(parts, timeout=60)), wanted)
    assert ray.get(part.remote(reference, 0), timeout=60).item() == wanted[0].item()


def test_nothing_listens_where_other_machines_can_reach_it() -> None:
    """Ray's own processes, the workers, and this one."""
    reference = ray.put(gpukit.arange(20_000.0))
    assert ray.get(part.remote(reference, 0)).item() > 0
    inodes = socket_inodes(descendants(os.getpid()))
    loopback = ("0100007F:", "0" * 16 + "FFFF0000" + "0100007F:", "0" * 24 + "01000000:")
    listening = [line for line in open_ports() if line[1] in inodes]
    assert listening
    assert [address for address, _ in listening if not address.startswith(loopback)] == []


def workers() -> list[int]:
    """Process numbers of this cluster's workers that run tasks."""
    import psutil

    found = []
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if each.name().startswith("ray::part"):
                found.append(each.pid)
    return found

"""A real scheduler, workers in processes of their own: transfers, sizes, workers that die."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import distributed
import numpy as np
import pytest
from dask.sizeof import sizeof

import gpukit
from gpukit.interop.dask import Chunk, from_tensor

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.long,
    pytest.mark.timeout(110),
]


@pytest.fixture
def client() -> Iterator[Any]:
    """Two workers of one thread, and nothing that other machines can reach."""
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_tensors_go_to_workers_and_come_back(client: Any) -> None:
    x = gpukit.arange(100_000.0)
    future = client.scatter(x)
    assert gpukit.equal(client.submit(lambda t: t + 1, future).result(), x + 1)
    assert client.submit(sizeof, future).result() >= x.nbytes


def work(client: Any, meanwhile: Any = None) -> float:
    x = from_tensor(gpukit.arange(400_000.0).reshape(400, 1000), chunks=(25, 1000))
    slow = x.map_blocks(lambda block: (time.sleep(0.1), block * 2)[1], dtype=x.dtype, meta=x._meta)
    future = client.compute(slow.sum())
    if meanwhile is not None:
        meanwhile()
    result = future.result(timeout=60)
    assert type(result) is Chunk
    return result.item()


def test_the_same_sum_on_two_workers(client: Any) -> None:
    wanted = float(np.arange(400_000, dtype=np.float32).sum(dtype=np.float64) * 2)
    assert work(client) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_killed_worker_loses_nothing(client: Any, seed: int) -> None:
    """One of the workers, at one of 20 random moments."""
    wanted = work(client)
    draw = np.random.default_rng(seed)

    def kill() -> None:
        time.sleep(float(draw.uniform(0, 0.7)))
        processes = client.run(os.getpid)
        os.kill(int(draw.choice(list(processes.values()))), signal.SIGKILL)

    assert work(client, kill) == wanted

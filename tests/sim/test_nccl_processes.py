"""Communicators of the simulated NCCL made from a unique id, by threads and processes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import gpukit
from gpukit._system.nccl_library import library
from support.simulation import no_simulation, simulation

RANKS = 3


@pytest.fixture(autouse=True)
def cards():
    with simulation(RANKS, card="T4"):
        yield


def on_threads(call: Callable[[int], Any], ranks: int = RANKS) -> list[Any]:
    """What each rank's call gives, or raises."""
    found: list[Any] = [None] * ranks

    def work(rank: int) -> None:
        try:
            found[rank] = call(rank)
        except gpukit.GpukitError as error:
            found[rank] = error

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(ranks)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def add(communicator: Any, x: gpukit.Tensor, count: int | None = None) -> None:
    stream = gpukit.cuda.current_stream(x.device).cuda_stream
    place = x.data_ptr()
    library().call("ncclAllReduce", place, place, count or x.numel(), 7, 0, communicator, stream)


@pytest.mark.parametrize("count", [1, 7, 30_000, 700_001])
def test_ranks_add_up_and_send_as_much_as_on_a_ring(count):
    identity = library().unique_id()
    sent = ctypes.CDLL(library().path).gpukitSimNcclSent
    sent.restype, sent.argtypes = ctypes.c_uint64, [ctypes.c_int]
    before = [sent(rank) for rank in range(RANKS)]

    def rank_of(rank: int) -> list[float]:
        communicator = library().join(identity, RANKS, rank, rank)
        x = gpukit.full((count,), rank + 1.0, device=f"cuda:{rank}")
        add(communicator, x)
        values = [x.min().item(), x.max().item()]
        assert library().error_of(communicator) == ""
        library().leave(communicator)
        return values

    assert on_threads(rank_of) == [[6.0, 6.0]] * RANKS
    spent = [sent(rank) - old for rank, old in enumerate(before)]
    assert sum(spent) == 2 * (RANKS - 1) * 4 * count
    if count % RANKS == 0:
        assert len(set(spent)) == 1


def test_wrong_counts_are_reported_on_every_rank():
    identity = library().unique_id()

    def rank_of(rank: int) -> str:
        communicator = library().join(identity, RANKS, rank, rank)
        x = gpukit.ones(8, device=f"cuda:{rank}")
        add(communicator, x, 8 - (rank == 2))
        gpukit.cuda.synchronize(f"cuda:{rank}")
        failure = library().error_of(communicator)
        library().abort(communicator)
        return failure

    for failure in on_threads(rank_of):
        assert "the ranks differ: rank 0 calls ncclAllReduce of 8 elements" in failure
        assert "rank 2 ncclAllReduce of 7 elements" in failure


def test_a_rank_that_leaves_is_named():
    identity = library().unique_id()

    def rank_of(rank: int) -> str:
        communicator = library().join(identity, RANKS, rank, rank)
        if rank == 1:
            library().leave(communicator)
            return "rank 1 has left"
        add(communicator, gpukit.ones(8, device=f"cuda:{rank}"))
        gpukit.cuda.synchronize(f"cuda:{rank}")
        failure = library().error_of(communicator)
        library().abort(communicator)
        return failure

    assert all("rank 1 has left" in failure for failure in on_threads(rank_of))


def test_what_joins_nothing_is_refused():
    identity = library().unique_id()
    with pytest.raises(gpukit.DistributedError, match="the id is none of ncclGetUniqueId"):
        library().join(bytes(128), 2, 0, 0)
    with pytest.raises(gpukit.DistributedError, match="rank 2 of 2"):
        library().join(identity, 2, 2, 0)
    with pytest.raises(gpukit.DistributedError, match="rank 0 of 65"):
        library().join(identity, 65, 0, 0)
    alone = library().join(identity, 1, 0, 0)
    with pytest.raises(gpukit.DistributedError, match="all its ranks have joined"):
        library().join(identity, 1, 0, 0)
    library().leave(alone)


def test_ranks_that_count_differently_do_not_wait_for_each_other():
    identity = library().unique_id()
    for error in on_threads(lambda rank: library().join(identity, 2 + rank, rank, rank), 2):
        assert isinstance(error, gpukit.DistributedError)
        assert "nranks is" in str(error)


def test_a_process_that_ends_is_noticed():
    identity = library().unique_id()
    program = (
        "import sys, gpukit; from gpukit._system.nccl_library import library\n"
        "gpukit.simulate(1, 'T4')\n"
        "library().join(bytes.fromhex(sys.argv[1]), 2, 1, 0)\n"
        "print('joined', flush=True); sys.stdin.read()\n"
    )
    environment = {name: text for name, text in os.environ.items() if name != "GPUKIT_SIMULATE"}
    command = [sys.executable, "-c", program, identity.hex()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as child:
        communicator = library().join(identity, 2, 0, 0)
        assert child.stdout is not None
        assert child.stdout.readline() == b"joined\n"
        child.kill()
        add(communicator, gpukit.ones(8, device="cuda:0"))
        gpukit.cuda.synchronize("cuda:0")
    assert "the process of rank 1 has ended" in library().error_of(communicator)
    library().abort(communicator)


def test_ids_that_nobody_uses_are_bounded():
    program = (
        "import gpukit; from gpukit._system.nccl_library import library\n"
        "for _ in range(64): library().unique_id()\n"
        "try: library().unique_id()\n"
        "except gpukit.DistributedError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"GPUKIT_SIMULATE": "T4"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "64 ids wait for their communicators already" in done.stdout


@pytest.mark.parametrize("fault", ["nccl=hang", "nccl=abort@x", "nccl=abort@0", "nccl=hang:x@1"])
def test_a_fault_that_is_none_is_refused(fault):
    with no_simulation(), pytest.raises(ValueError, match=r"nccl=hang@RANK"):
        gpukit.simulate(1, fault=fault)


def test_a_captured_call_runs_at_each_launch_of_its_graph():
    identity = library().unique_id()

    def rank_of(rank: int) -> list[float]:
        communicator = library().join(identity, RANKS, rank, rank)
        values = []
        with gpukit.cuda.device(rank):
            x = gpukit.full((4,), rank + 1.0, device=f"cuda:{rank}")
            graph = gpukit.cuda.CUDAGraph()
            with gpukit.cuda.graph(graph):
                add(communicator, x)
            for _ in range(2):
                graph.replay()
                values.append(x.max().item())
            add(communicator, x)
            values.append(x.max().item())
        assert library().error_of(communicator) == ""
        library().leave(communicator)
        return values

    assert on_threads(rank_of) == [[6.0, 18.0, 54.0]] * RANKS

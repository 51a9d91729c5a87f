"""Messages of the simulated NCCL, ncclSend and ncclRecv: groups, counts, faults, who is missing."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sim.test_nccl_processes import on_threads

import gpukit
from gpukit._system.nccl_library import library
from support.simulation import simulation

RANKS = 3
FLOAT = 7


@pytest.fixture(autouse=True)
def cards():
    with simulation(RANKS, card="T4"):
        yield


def move(function: str, x: gpukit.Tensor, peer: int, comm: Any, count: int | None = None) -> None:
    stream = gpukit.cuda.current_stream(x.device).cuda_stream
    count = x.numel() if count is None else count
    library().call(function, x.data_ptr(), count, FLOAT, peer, comm, stream)


@contextmanager
def group() -> Iterator[None]:
    library().call("ncclGroupStart")
    yield
    library().call("ncclGroupEnd")


def joined(call: Callable[[int, Any], Any], ranks: int = RANKS) -> list[Any]:
    """What each rank's call gives: threads with a communicator and a GPU each."""
    identity, end = library().unique_id(), threading.Barrier(ranks)

    def rank_of(rank: int) -> Any:
        communicator = library().join(identity, ranks, rank, rank)
        try:
            return call(rank, communicator)
        finally:
            end.wait(60)
            gpukit.cuda.synchronize(f"cuda:{rank}")
            library().abort(communicator)

    return on_threads(rank_of, ranks)


def failure(rank: int, communicator: Any) -> str:
    gpukit.cuda.synchronize(f"cuda:{rank}")
    return library().error_of(communicator)


def sent(rank: int) -> int:
    count = ctypes.CDLL(library().path).gpukitSimNcclSent
    count.restype, count.argtypes = ctypes.c_uint64, [ctypes.c_int]
    return int(count(rank))


@pytest.mark.parametrize("count", [0, 1, 65_536, 700_001])
def test_a_message_arrives_and_its_bytes_are_counted(count):
    before = sent(0)

    def rank_of(rank: int, comm: Any) -> list[float]:
        x = gpukit.full((count,), 5.0 * (rank == 0), device=f"cuda:{rank}")
        if rank < 2:
            move(["ncclSend", "ncclRecv"][rank], x, 1 - rank, comm)
        assert failure(rank, comm) == ""
        return sorted(set(x.tolist()))

    assert joined(rank_of)[:2] == ([[5.0], [5.0]] if count else [[], []])
    assert sent(0) - before == 4 * count


def test_a_group_sends_and_receives_side_by_side():
    """All to all: outside a group the first message would wait for one that comes later."""

    def rank_of(rank: int, comm: Any) -> list[float]:
        out = gpukit.tensor([10.0 * rank + peer for peer in range(RANKS)], device=f"cuda:{rank}")
        into = gpukit.zeros(RANKS, device=f"cuda:{rank}")
        for _ in range(3):
            with group():
                for peer in range(RANKS):
                    move("ncclSend", out[peer : peer + 1], peer, comm)
                    move("ncclRecv", into[peer : peer + 1], peer, comm)
        assert failure(rank, comm) == ""
        return into.tolist()

    assert joined(rank_of) == [[0.0, 10.0, 20.0], [1.0, 11.0, 21.0], [2.0, 12.0, 22.0]]


def test_messages_of_two_ranks_keep_their_order_and_go_beside_collectives():
    def rank_of(rank: int, comm: Any) -> list[float]:
        parts = [gpukit.full((4,), i + rank * 100.0, device=f"cuda:{rank}") for i in range(3)]
        with group():
            for x in parts:
                if rank < 2:
                    move(["ncclSend", "ncclRecv"][rank], x, 1 - rank, comm)
        total = gpukit.ones(1, device=f"cuda:{rank}")
        place, stream = total.data_ptr(), gpukit.cuda.current_stream(total.device).cuda_stream
        library().call("ncclAllReduce", place, place, 1, FLOAT, 0, comm, stream)
        assert failure(rank, comm) == ""
        return [x[0].item() for x in parts] + total.tolist()

    assert joined(rank_of)[1] == [0.0, 1.0, 2.0, 3.0]


def test_one_thread_may_hold_all_communicators():
    comms = (ctypes.c_void_p * 2)()
    library().call("ncclCommInitAll", comms, 2, (ctypes.c_int * 2)(0, 1))
    x, y = gpukit.ones(300_000, device="cuda:0"), gpukit.zeros(300_000, device="cuda:1")
    with group():
        move("ncclSend", x, 1, comms[0])
        move("ncclRecv", y, 0, comms[1])
    assert y.sum().item() == 300_000
    for each in comms:
        library().leave(each)


@pytest.mark.parametrize("counts", [(8, 7), (0, 8)])
def test_ends_of_different_counts_are_told_on_both(counts):
    def rank_of(rank: int, comm: Any) -> str:
        x = gpukit.ones(8, device=f"cuda:{rank}")
        move(["ncclSend", "ncclRecv"][rank], x, 1 - rank, comm, counts[rank])
        return failure(rank, comm)

    for told in joined(rank_of, 2):
        assert "the ranks differ: rank" in told
        assert f"ncclSend of {counts[0]} elements of type 7, peer 1" in told
        assert f"ncclRecv of {counts[1]} elements of type 7, peer 0" in told


@pytest.mark.parametrize("leaves", [1, 2])
def test_a_peer_that_leaves_is_named_and_another_rank_is_not_missed(leaves):
    identity, begun = library().unique_id(), threading.Barrier(RANKS)

    def rank_of(rank: int) -> str:
        comm = library().join(identity, RANKS, rank, rank)
        begun.wait(60)
        told = "left"
        if rank != leaves and rank < 2:
            time.sleep(0.2)
            move(
                ["ncclSend", "ncclRecv"][rank],
                gpukit.ones(8, device=f"cuda:{rank}"),
                1 - rank,
                comm,
            )
            told = failure(rank, comm)
        library().leave(comm)
        return told

    told = on_threads(rank_of)[0]
    assert (
        told == ""
        if leaves == 2
        else told.endswith("rank 1 has left: ncclSend of 8 elements of type 7, peer 1")
    )


@pytest.mark.parametrize(("fault", "told"), [("hang@1", "was aborted"), ("abort@2", "planned")])
def test_planned_faults_meet_messages(fault, told):
    with simulation(2, card="T4", fault=f"nccl={fault}"):

        def rank_of(rank: int, comm: Any) -> str:
            x = gpukit.ones(8, device=f"cuda:{rank}")
            for _ in range(2):
                move(["ncclSend", "ncclRecv"][rank], x, 1 - rank, comm)
            if rank == 1 and fault == "hang@1":
                library().call("ncclCommAbort", comm)
                return "was aborted"
            return failure(rank, comm)

        identity = library().unique_id()
        found = on_threads(
            lambda rank: rank_of(rank, library().join(identity, 2, rank, rank)), ranks=2
        )
    assert all(told in str(each) for each in found), found  # an error, or what raises it


def test_what_cannot_be_sent_is_refused():
    def rank_of(rank: int, comm: Any) -> None:
        x = gpukit.ones(8, device="cuda:0")
        with pytest.raises(gpukit.DistributedError, match="ncclSend: peer 1"):
            move("ncclSend", x, 1, comm)
        with pytest.raises(gpukit.DistributedError, match="recvbuff is no memory of a device"):
            move("ncclRecv", x, 0, comm, 1 << 40)
        with pytest.raises(gpukit.DistributedError, match="sends itself 1 messages in a group"):
            move("ncclSend", x, 0, comm)
        library().call("ncclGroupStart")
        with pytest.raises(gpukit.DistributedError, match="peer -1"):
            move("ncclSend", x, -1, comm)
        with pytest.raises(gpukit.DistributedError, match="ncclGroupEnd"):
            library().call("ncclGroupEnd")
        with pytest.raises(gpukit.DistributedError, match="ncclGroupEnd without ncclGroupStart"):
            library().call("ncclGroupEnd")

    found = joined(rank_of, 1)
    assert found == [None], found


def test_a_captured_message_is_sent_at_each_launch_of_its_graph():
    def rank_of(rank: int, comm: Any) -> list[float]:
        values = []
        with gpukit.cuda.device(rank):
            x = gpukit.full((4,), 0.0, device=f"cuda:{rank}")
            graph = gpukit.cuda.CUDAGraph()
            with gpukit.cuda.graph(graph):
                if rank == 0:
                    x.add_(1)
                move(["ncclSend", "ncclRecv"][rank], x, 1 - rank, comm)
            for _ in range(3):
                graph.replay()
                values.append(x.max().item())
        assert failure(rank, comm) == ""
        return values

    assert joined(rank_of, 2) == [[1.0, 2.0, 3.0]] * 2

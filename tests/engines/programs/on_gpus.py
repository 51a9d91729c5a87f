"""Operations on simulated GPUs by NCCL between processes: `on_gpus.py KIND`."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from typing import Any

import gpukit
import gpukit.distributed as dist
from gpukit._system.nccl_library import library

KIND = sys.argv[1]
FAULTS = {"hang": "nccl=hang@1", "abort": "nccl=abort@3"}
simulation = gpukit.simulate(1, "T4", fault=FAULTS.get(KIND))
dist.init_process_group("nccl", timeout=4 if KIND == "hang" else 20)
rank, size = dist.get_rank(), dist.get_world_size()


def numbers(dtype: str, count: int, of: int) -> gpukit.Tensor:
    """Small whole numbers of a rank."""
    values = [(i * (of + 2) + of) % 5 + 1 for i in range(count)]
    return gpukit.tensor(values).to(getattr(gpukit, dtype))


def sent() -> int:
    """Bytes that this rank's GPU has sent, as the simulated NCCL counted them."""
    count = ctypes.CDLL(library().path).gpukitSimNcclSent
    count.restype, count.argtypes = ctypes.c_uint64, [ctypes.c_int]
    return int(count(0))


def equal(x: gpukit.Tensor, wanted: Any) -> None:
    assert x.is_cuda and gpukit.equal(x.cpu(), wanted), (x, wanted)


def values() -> None:
    for dtype in ("float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64"):
        for count in (0, 1, 7, 1000, 700_000 if dtype == "float32" else 24):
            parts = [numbers(dtype, count, r) for r in range(size)]
            mine, total = parts[rank].cuda(), gpukit.stack(parts).sum(0).to(parts[0].dtype)
            dist.all_reduce(x := mine.clone())
            equal(x, total)
            dist.all_reduce(x := mine.clone(), "max")
            equal(x, gpukit.stack(parts).max(0).values if count else total)
            dist.reduce(x := mine.clone(), size - 1)
            equal(x, total if rank == size - 1 else parts[rank])
            dist.broadcast(x := mine.clone(), size - 1)
            equal(x, parts[-1])
            dist.all_gather(rows := [gpukit.zeros_like(mine) for _ in parts], mine)
            for row, part in zip(rows, parts, strict=True):
                equal(row, part)
            whole = gpukit.zeros(size, count, dtype=mine.dtype, device="cuda")
            dist.all_gather_into_tensor(whole, mine)
            equal(whole, gpukit.stack(parts))
            dist.reduce_scatter(x := gpukit.zeros_like(mine), [p.cuda() for p in parts])
            equal(x, parts[rank] * size)
            works = [dist.all_reduce(mine.clone(), async_op=True) for _ in range(2)]
            assert all(work.wait() for work in works)
    square = numbers("float32", 12, rank).reshape(3, 4).cuda()
    dist.all_reduce(square.t())  # strided
    equal(square, sum(numbers("float32", 12, r) for r in range(size)).reshape(3, 4))
    dist.all_reduce(flags := gpukit.ones(3, device="cuda").bool(), "min")  # NCCL has no bool
    assert flags.all()
    dist.all_reduce(bits := gpukit.tensor([1 << rank], device="cuda"), "bor")
    assert bits.item() == (1 << size) - 1
    dist.all_reduce(host := gpukit.ones(2))  # what is on the CPU goes by MPI
    assert host.tolist() == [size, size]
    pair = dist.new_group([0, size - 1])
    x = gpukit.ones(2, device="cuda")
    dist.all_reduce(x, group=pair)
    assert x.tolist() == ([2, 2] if rank in {0, size - 1} else [1, 1])
    assert dist.get_backend() == dist.get_backend(pair) == "nccl"


def bytes_sent() -> None:
    dist.all_reduce(gpukit.ones(1, device="cuda"))
    for count in (size * 10, size * 300_000):
        before = sent()
        dist.all_reduce(gpukit.ones(count, device="cuda"))
        assert sent() - before == 2 * (size - 1) * 4 * count // size
        dist.all_gather_into_tensor(
            gpukit.zeros(size * count, device="cuda"), gpukit.ones(count, device="cuda")
        )
        assert sent() - before == 2 * (size - 1) * 4 * count // size + 4 * (size - 1) * count


def order() -> None:
    """What is begun on a stream comes after what is queued there, and others go on beside it."""
    side = gpukit.cuda.Stream()
    with gpukit.cuda.stream(side):
        x = gpukit.zeros(1000, device="cuda")
        for _ in range(5):
            x.add_(rank + 1.0)
        work = dist.all_reduce(x, async_op=True)
        other = gpukit.ones(1000, device="cuda") * 3
        assert work.wait() and work.is_success()
        assert (x + 0).tolist() == [5.0 * size * (size + 1) / 2] * 1000
        assert other.sum().item() == 3000
        for turn in range(5):  # copies follow NCCL's part: into the list, and into strides
            mine = gpukit.full((1_000_000,), float(turn + rank), device="cuda")
            rows = [gpukit.zeros_like(mine) for _ in range(size)]
            assert dist.all_gather(rows, mine, async_op=True).wait()
            assert [row[-1].item() for row in rows] == [float(turn + each) for each in range(size)]
            square = gpukit.ones(700, 700, device="cuda")
            assert dist.all_reduce(square.t(), async_op=True).wait()
            assert square.sum().item() == 700 * 700 * size


def messages() -> None:
    """Sends and receives go by NCCL: bytes are counted, order and direction do not matter."""
    peer, count = size - 1 - rank if rank in {0, size - 1} else rank, 10_000
    if peer != rank:
        before, out = sent(), gpukit.arange(float(count), device="cuda") + rank
        into = [gpukit.zeros(count, device="cuda") for _ in range(3)]
        works = [dist.isend(out * i, peer, tag=i) for i in range(3)]
        works += [dist.irecv(into[i], peer, tag=i) for i in (2, 0, 1)]  # both ways at once
        assert all(work.wait() for work in works)
        for i, x in enumerate(into):
            equal(x, (gpukit.arange(float(count)) + peer) * i)
        assert sent() - before == 3 * 4 * count
        square = gpukit.arange(12.0, device="cuda").reshape(3, 4)
        flags, host = gpukit.ones(3, device="cuda").bool(), gpukit.zeros(3, 4)
        empty, half = gpukit.zeros(0, device="cuda"), gpukit.ones(5, device="cuda").half()
        if rank == 0:
            for x in (square, square.t().contiguous().t(), flags, empty, half, square):
                dist.send(x, peer)
        else:
            strided = gpukit.zeros(4, 3, device="cuda").t()
            for x in (first := gpukit.zeros_like(square), strided, ~flags, empty, half, host):
                assert dist.recv(x, 0) == 0
            equal(first, square.cpu())
            equal(strided, square.cpu())
            assert gpukit.equal(host, square.cpu())  # by MPI: a tensor of the CPU receives it
        wrong = gpukit.ones(4 + rank, device="cuda")
        try:
            dist.send(wrong, peer) if rank == 0 else dist.recv(wrong, peer)
        except gpukit.DistributedError as error:
            told = str(error)
        else:
            told = "no error"
        assert "another shape or dtype" in told or "the tensor to receive" in told, told
    dist.all_reduce(x := gpukit.ones(2, device="cuda"))
    assert x.tolist() == [size, size]
    simulation.stop()
    with gpukit.simulate(1, "T4"):  # other communicators
        x = gpukit.full((3,), float(rank), device="cuda")
        if peer != rank:
            dist.send(x, peer) if rank == 0 else dist.recv(x, peer)
            assert x.tolist() == [0.0] * 3


def refused() -> None:
    """Ranks that differ are told on each of them, and the group works as before."""
    ones = gpukit.ones(4, device="cuda")
    calls = {
        "count": lambda: dist.all_reduce(gpukit.ones(4 + rank, device="cuda")),
        "dtype": lambda: dist.all_reduce(ones.to(["float32", "float64"][rank % 2])),
        "operation": lambda: dist.all_reduce(ones) if rank else dist.broadcast(ones, 0),
        "device": lambda: dist.all_reduce(ones.cpu() if rank else ones),
    }
    for name, call in calls.items():
        started = time.monotonic()
        try:
            call()
        except gpukit.DistributedError as error:
            assert time.monotonic() - started < 5
            print(f"refused {name}: {error}", flush=True)
        dist.all_reduce(x := ones.clone())
        assert x.tolist() == [size] * 4


def again() -> None:
    """Another simulation has communicators of its own."""
    dist.all_reduce(gpukit.ones(3, device="cuda"))
    simulation.stop()
    for _ in range(2):
        with gpukit.simulate(1, "T4"):
            dist.all_reduce(x := gpukit.ones(3, device="cuda"))
            assert x.tolist() == [size] * 3


def fails() -> None:
    if KIND == "kill":
        dist.all_reduce(gpukit.ones(2, device="cuda"))
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    for _ in range(5):
        dist.all_reduce(gpukit.ones(2, device="cuda"))
    print("no error", flush=True)


CALLS = {"values": values, "bytes": bytes_sent, "order": order, "refused": refused, "again": again}
CALLS["messages"] = messages
CALLS.get(KIND, fails)()
print(f"rank {rank} did {KIND}", flush=True)
dist.destroy_process_group()

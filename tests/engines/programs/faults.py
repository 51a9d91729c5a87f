"""A rank that does something else than the others: `faults.py KIND`."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import gpukit
import gpukit.distributed as dist

KIND = sys.argv[1]
dist.init_process_group(timeout=4)
rank = dist.get_rank()


def refuses(call: Any) -> None:
    started = time.monotonic()
    try:
        call()
    except (gpukit.DistributedError, gpukit.ShapeError) as error:
        print(f"rank {rank} after {time.monotonic() - started:.1f} s: {error}", flush=True)
    else:
        print(f"rank {rank}: no error", flush=True)


ones, other = gpukit.ones(4), gpukit.ones(4 + rank)
MISMATCHES = {
    "shape": lambda: dist.all_reduce(other),
    "dtype": lambda: dist.all_reduce(ones.to(["float32", "float64"][rank % 2])),
    "operation": lambda: dist.all_reduce(ones) if rank else dist.barrier(),
    "op": lambda: dist.all_reduce(ones, ["sum", "max"][rank % 2]),
    "source": lambda: dist.broadcast(ones, src=rank),
    "broadcast": lambda: dist.broadcast(other, src=0),
    "all_gather": lambda: dist.all_gather([other] * dist.get_world_size(), other),
    "reduce_scatter": lambda: dist.reduce_scatter(other, [other] * dist.get_world_size()),
    "background": lambda: (w := dist.all_reduce(other, async_op=True)) and w.wait(),
    "all_to_all": lambda: dist.all_to_all(
        [other] * dist.get_world_size(), [ones] * dist.get_world_size()
    ),
    "send": lambda: dist.recv(gpukit.ones(5), 0) if rank else dist.send(ones, 1),
    "missing": lambda: None if rank else dist.all_reduce(ones),
    "parameters": lambda: gpukit.nn.parallel.DistributedDataParallel(gpukit.nn.Linear(2 + rank, 1)),
}
if KIND == "monitored":
    if rank % 2 == 0:
        refuses(lambda: dist.monitored_barrier(timeout=1.5, wait_all_ranks=True))
    time.sleep(4 if rank % 2 else 1)  # who ends first ends the others, which have not printed yet
    sys.exit(1)
if KIND in MISMATCHES:
    refuses(MISMATCHES[KIND])
    if KIND != "missing":
        dist.barrier()  # the group works as before
        print(f"rank {rank} goes on", flush=True)
    sys.exit(0)

dist.barrier()
if rank == 1:
    print(f"dies at {time.time()}", flush=True)
    if KIND == "raise":
        raise ValueError("a planted fault")
    if KIND == "exit":
        sys.exit(3)
    if KIND == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if KIND == "leave":
        sys.exit(0)
    if KIND == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
while True:
    dist.all_reduce(ones)

"""What an operation between ranks overwrites cannot be used by a backward pass any more."""

from __future__ import annotations

import gpukit
import gpukit.distributed as dist

dist.init_process_group("mpi")
rank = dist.get_rank()
CALLS = {
    "all_reduce": dist.all_reduce,
    "reduce": lambda x: dist.reduce(x, 0),
    "broadcast": lambda x: dist.broadcast(x, 0),
    "half": dist.all_reduce,
    "exchange": lambda x: dist.send(x, 1) if rank == 0 else dist.recv(x, 0),
}
for name, call in CALLS.items():
    x = gpukit.ones(3, dtype=gpukit.float16 if name == "half" else gpukit.float32)
    leaf = gpukit.ones_like(x, requires_grad=True)
    product = (x * leaf).sum()
    call(x)
    try:
        product.backward()
        found = "kept"
    except gpukit.AutogradError:
        found = "overwritten"
    print(f"rank {rank} {name}: {found}", flush=True)
dist.destroy_process_group()

"""Memory of a rank with one large parameter: the gradient is reduced where it lies.

`room.py` prints bytes of the process that DistributedDataParallel and two passes took, in units of
the gradient's.
"""

from __future__ import annotations

import resource
from pathlib import Path

import gpukit
import gpukit.distributed as dist
from gpukit.nn.parallel import DistributedDataParallel


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


dist.init_process_group("mpi", timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()
net = gpukit.nn.Linear(4096, 4096)
x = gpukit.ones(1, 4096) * (rank + 1)
dist.all_reduce(gpukit.ones_like(net.weight.detach()))  # MPI has its own buffers from now on
before = resident()
model = DistributedDataParallel(net)
for _ in range(2):
    model.zero_grad()
    model(x).sum().backward()
mean = (size + 1) / 2
assert gpukit.equal(net.weight.grad, gpukit.full((4096, 4096), mean))
assert gpukit.equal(net.bias.grad, gpukit.ones(4096))
print(f"took {(resident() - before) / net.weight.nbytes:.2f}")
dist.destroy_process_group()

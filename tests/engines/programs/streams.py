"""Tensors on a simulated GPU, filled on a stream of their own: what is begun there comes after."""

from __future__ import annotations

import gpukit
import gpukit.distributed as dist

dist.init_process_group("mpi", timeout=30)
rank, size = dist.get_rank(), dist.get_world_size()
gpukit.simulate(1, "T4", realtime=True)
side = gpukit.cuda.Stream()
slow = gpukit.ones(1 << 20, device="cuda", dtype=gpukit.uint8)
for _ in range(2):
    with gpukit.cuda.stream(side):
        x = gpukit.zeros(1000, device="cuda")
        for _ in range(10):
            slow.add_(1)
        x.fill_(rank + 1.0)
        work = dist.all_reduce(x, async_op=True)
        work.wait()
        assert (x + 0).tolist() == [size * (size + 1) / 2] * 1000
        y = gpukit.zeros(1000, device="cuda")
        for _ in range(10):
            slow.add_(1)
        y.fill_(float(rank))
        sent = dist.isend(y, (rank + 1) % size)
        z = gpukit.zeros(1000, device="cuda")
        dist.irecv(z, (rank - 1) % size).wait()
        sent.wait()
        assert z.tolist() == [float((rank - 1) % size)] * 1000
print(f"rank {rank} in order", flush=True)
dist.destroy_process_group()

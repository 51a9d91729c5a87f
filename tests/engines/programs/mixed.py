"""One rank waits for an operation at once, the other begins it in the background."""

from __future__ import annotations

import gpukit
import gpukit.distributed as dist

dist.init_process_group(timeout=30)
rank, size = dist.get_rank(), dist.get_world_size()
for count in (1, 1000, 100_000, 3_000_000):
    for turn in range(4):
        x = gpukit.full((count,), rank + 1.0)
        work = dist.all_reduce(x, async_op=(rank + turn) % 2 == 0)
        if work is not None:
            work.wait()
        assert gpukit.equal(x, gpukit.full((count,), size * (size + 1) / 2))
print(f"rank {rank} mixed", flush=True)
dist.destroy_process_group()

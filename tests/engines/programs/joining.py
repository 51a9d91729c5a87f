"""Ranks with different numbers of batches inside join(): FILE receives the rounds of each."""

from __future__ import annotations

import gpukit
import gpukit.distributed as dist
from gpukit.nn.parallel import DistributedDataParallel

dist.init_process_group(timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(gpukit.nn.Linear(3, 1))
optimizer = gpukit.optim.SGD(model.parameters(), lr=0.1)
with model.join():
    for _ in range(3 + 2 * rank):
        optimizer.zero_grad()
        model(gpukit.ones(4, 3)).sum().backward()
        gradient = model.module.bias.grad
        assert gradient is not None
        optimizer.step()
working = [4.0 * sum(3 + 2 * r > round_ for r in range(size)) / size for round_ in range(9)]
assert gradient.item() == working[2 + 2 * rank], (rank, gradient, working)
mine = model.module.weight.detach().clone()
dist.broadcast(mine, 0)
assert gpukit.equal(mine, model.module.weight)
print(f"rank {rank} joined", flush=True)
dist.destroy_process_group()

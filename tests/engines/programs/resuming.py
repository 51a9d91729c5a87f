"""Training that goes on from rank 0's checkpoint: `resuming.py FOLDER DIES_AT`, -1 for never.

Rank 0 writes after each step, all ranks load what is there, and the last rank is killed at a step.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import gpukit
import gpukit.distributed as dist
from gpukit.nn.functional import mse_loss
from gpukit.nn.parallel import DistributedDataParallel

FOLDER, DIES_AT, STEPS = Path(sys.argv[1]), int(sys.argv[2]), 6
dist.init_process_group(timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()
gpukit.manual_seed(0)
model = DistributedDataParallel(gpukit.nn.Linear(3, 2))
optimizer = gpukit.optim.Adam(model.parameters(), lr=0.1)
checkpoint, first = FOLDER / "checkpoint.pth", 0
if checkpoint.exists():
    saved = gpukit.load(checkpoint)
    model.module.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    first = saved["step"] + 1
for step in range(first, STEPS):
    if step == DIES_AT and rank == size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    generator = gpukit.Generator().manual_seed(100 * step + rank)
    x = gpukit.rand(4, 3, generator=generator)
    optimizer.zero_grad()
    mse_loss(model(x), x[:, :2] * 2).backward()
    optimizer.step()
    if rank == 0:
        state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
        gpukit.save(state | {"step": step}, checkpoint)
    dist.barrier()
if rank == 0:
    print(f"began at step {first}", flush=True)
    gpukit.save({"weight": model.module.weight.detach()}, FOLDER / "end.pth")
dist.destroy_process_group()

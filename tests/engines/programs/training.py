"""Train the same network on any number of ranks; rank 0 writes losses and parameters.

`training.py HOW FILE RANKS [DEVICE BACKEND]`: HOW is ddp, average, accumulate, unused, uneven or
alone.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext

import numpy as np

import gpukit
import gpukit.distributed as dist
from gpukit.nn.functional import mse_loss
from gpukit.nn.parallel import DistributedDataParallel

HOW, FILE, RANKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
DEVICE = sys.argv[4] if len(sys.argv) > 4 else "cpu"
BACKEND = sys.argv[5] if len(sys.argv) > 5 else "mpi"
ROUNDS, BATCH = 8, 32
if DEVICE != "cpu":
    gpukit.simulate(1, "T4")
dist.init_process_group(BACKEND, timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()


class Net(gpukit.nn.Module):
    """Two layers, and a third whose output some rows leave out."""

    def __init__(self) -> None:
        super().__init__()
        self.first = gpukit.nn.Linear(6, 40)
        self.second = gpukit.nn.Linear(40, 3)
        self.spare = gpukit.nn.Linear(40, 3)

    def forward(self, x: gpukit.Tensor, rows: float = 1.0) -> gpukit.Tensor:
        """`rows`: the part of the batch, from its start, that uses the third layer."""
        hidden = self.first(x).relu()
        if not rows:
            return self.second(hidden)
        used = gpukit.arange(len(x), device=x.device) < rows * len(x)
        return self.second(hidden) + self.spare(hidden) * used.unsqueeze(1)


def part_of_rows(number: int) -> float:
    """Rank 0 alone uses the third layer in round 3, all do in even rounds."""
    if HOW != "unused" or number % 2 == 0:
        return 1.0
    return (1 / RANKS if size == 1 else float(rank == 0)) if number == 3 else 0.0


gpukit.manual_seed(rank)  # other numbers on each rank: the wrapper gives all of them rank 0's
model = Net()
if HOW != "ddp":
    gpukit.manual_seed(0)
    model = Net()
model.to(DEVICE)
draw = np.random.default_rng(0)
xs = draw.standard_normal((ROUNDS, BATCH, 6)).astype(np.float32)
ys = draw.standard_normal((ROUNDS, BATCH, 3)).astype(np.float32)
if HOW in {"ddp", "accumulate", "unused", "uneven"} and size > 1:
    finds = HOW == "unused"
    wrapped = DistributedDataParallel(model, bucket_cap_mb=0.0005, find_unused_parameters=finds)
else:
    wrapped = model
optimizer = gpukit.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
losses = []
parts = 2 if HOW == "accumulate" else 1
rounds = ROUNDS - (HOW == "uneven" and rank == size - 1 and size > 1) * 2
for number in range(rounds):
    optimizer.zero_grad()
    x = gpukit.tensor(xs[number], device=DEVICE).reshape(parts, size, -1, 6)[:, rank]
    y = gpukit.tensor(ys[number], device=DEVICE).reshape(parts, size, -1, 3)[:, rank]
    total = gpukit.zeros((), device=DEVICE)
    for part in range(parts):
        last = part == parts - 1
        quiet = nullcontext() if last or size == 1 else wrapped.no_sync()
        with quiet:
            loss = mse_loss(wrapped(x[part], part_of_rows(number)), y[part]) / parts
            loss.backward()
        total = total + loss.detach()
    if HOW == "average":
        dist.average_gradients(model)
    optimizer.step()
    dist.all_reduce(total, dist.ReduceOp.AVG)
    losses.append(total.item())
for each in model.parameters():  # the same on every rank, to the last bit
    mine = each.detach().clone()
    dist.broadcast(mine, 0)
    assert gpukit.equal(mine, each), "the ranks' parameters differ"
if rank == 0:
    values = {name: each.detach().numpy(force=True) for name, each in model.named_parameters()}
    np.savez(FILE, losses=np.array(losses), **values)
dist.destroy_process_group()

"""One network on several processes: `pip install 'gpukit[mpi]'`, then

gpukit run -n 2 examples/scale_out/train_mpi.py

Alone (`python train_mpi.py`) it trains on one process. On a hundred machines the script stays as it
is; `mpiexec -n 200 -ppn 2 -hostfile hosts python train_mpi.py` starts it, a rank a GPU takes its
card by `gpukit.cuda.set_device(int(os.environ["LOCAL_RANK"]))`, and each rank reads its own part of
the data from disk.
"""

from __future__ import annotations

import gpukit
import gpukit.distributed as dist
from gpukit import nn
from gpukit.nn.parallel import DistributedDataParallel
from gpukit.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("mpi")
gpukit.manual_seed(0)
inputs = gpukit.randn(512, 4)
targets = (inputs * gpukit.tensor([1.0, -2.0, 0.5, 3.0])).sum(dim=1, keepdim=True)
data = TensorDataset(inputs, targets)
sampler = DistributedSampler(data)
model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1)))
optimizer = gpukit.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    sampler.set_epoch(epoch)
    total = gpukit.zeros(())
    for x, y in DataLoader(data, batch_size=32, sampler=sampler):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(f"epoch {epoch}: loss {total.item():.3f}", flush=True)
assert total.item() < 20, "it did not learn"
dist.destroy_process_group()

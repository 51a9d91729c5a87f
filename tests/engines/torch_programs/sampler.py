import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, train_data, optimizer, save_every):
        self.rank = int(os.environ["LOCAL_RANK"])
        self.train_data = train_data
        self.optimizer = optimizer
        self.save_every = save_every
        self.model = DDP(model)

    def _run_batch(self, source, targets):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(source), targets)
        loss.backward()
        self.optimizer.step()
        return loss

    def _run_epoch(self, epoch):
        b_sz = len(next(iter(self.train_data))[0])
        print(f"[GPU{self.rank}] Epoch {epoch} | Batchsize: {b_sz} | Steps: {len(self.train_data)}")
        self.train_data.sampler.set_epoch(epoch)
        total = torch.zeros(2)
        for source, targets in self.train_data:
            total[0] += self._run_batch(source, targets).detach() * len(source)
            total[1] += len(source)
        dist.all_reduce(total)
        print(f"{(total[0] / total[1]).item():.4f} {int(total[1])}")

    def train(self, max_epochs):
        for epoch in range(max_epochs):
            self._run_epoch(epoch)


dist.init_process_group(backend="gloo")
x = torch.linspace(-1, 1, 37 * 4).reshape(37, 4)
dataset = TensorDataset(x, torch.arange(37) % 3)
sampler = DistributedSampler(dataset, shuffle=False)
model = torch.nn.Linear(4, 3)
torch.nn.init.constant_(model.weight, 0.1)
torch.nn.init.constant_(model.bias, 0.0)
loader = DataLoader(dataset, batch_size=8, pin_memory=False, shuffle=False, sampler=sampler)
Trainer(model, loader, torch.optim.SGD(model.parameters(), lr=1e-1), 2).train(2)
model.eval()
with torch.no_grad():
    pred = torch.cat([model(b).argmax(1) for b, _ in loader])
gathered = [torch.zeros_like(pred) for _ in range(dist.get_world_size())]
dist.all_gather(gathered, pred)
print(torch.stack(gathered, dim=1).reshape(-1)[:37])
dist.destroy_process_group()

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DDP(torch.nn.Linear(1, 10))
with torch.no_grad():
    for p in model.parameters():
        p.fill_(0.1)
inputs = [torch.tensor([1.0]) for _ in range(10 + rank)]
opt = torch.optim.SGD(model.parameters(), lr=0.01)
with model.join():
    for inp in inputs:
        loss = model(inp).sum()
        loss.backward()
        opt.step()
        opt.zero_grad()
print(f"rank {rank} {model.module.bias[0].item():.4f}")
from torch.distributed.algorithms.join import Join

with Join([model]):
    for inp in inputs:
        loss = model(inp).sum()
        loss.backward()
        opt.step()
        opt.zero_grad()
print(f"Rank {rank} finished training! {model.module.bias[0].item():.4f}")
dist.destroy_process_group()

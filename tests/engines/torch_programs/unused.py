import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x, use_b):
        x = self.norm(self.a(x))
        return self.b(x) if use_b else x


dist.init_process_group("gloo")
rank = dist.get_rank()
model = Two()
for p in (model.a.weight, model.b.weight):
    nn.init.eye_(p)
ddp = DDP(model, find_unused_parameters=True, broadcast_buffers=True, bucket_cap_mb=1)
for step in range(3):
    ddp.zero_grad()
    x = torch.arange(8.0).reshape(4, 2) * (rank + 1) + step
    ddp(x, use_b=step == 1).pow(2).sum().backward()
    grads = [
        None if p.grad is None else [round(v, 3) + 0.0 for v in p.grad.flatten().tolist()]
        for p in ddp.parameters()
    ]
    print(rank, step, grads[1])
print([round(v, 4) for v in model.norm.running_mean.tolist()])
ddp.eval()
with torch.no_grad():
    print(tuple(ddp(torch.ones(2, 2), True).shape))
ddp.train()
for p in ddp.module.a.parameters():
    p.requires_grad_(False)
print(sum(p.requires_grad for p in ddp.parameters()))
dist.destroy_process_group()

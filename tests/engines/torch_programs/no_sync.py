from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
net = nn.Linear(3, 2)
nn.init.constant_(net.weight, 0.5)
nn.init.zeros_(net.bias)
ddp = DistributedDataParallel(net, find_unused_parameters=False, gradient_as_bucket_view=True)
opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
accumulation_steps = 4
for i in range(8):
    sync = (i + 1) % accumulation_steps == 0
    with nullcontext() if sync else ddp.no_sync():
        x = torch.full((2, 3), float(i + rank))
        loss = ddp(x).pow(2).mean() / accumulation_steps
        loss.backward()
    if not sync:
        print(rank, i, "local", [round(v, 4) for v in net.bias.grad.tolist()])
    else:
        norm = nn.utils.clip_grad_norm_(ddp.parameters(), max_norm=1.0)
        print(rank, i, "all", f"{norm.item():.4f}", [round(v, 4) for v in net.bias.grad.tolist()])
        opt.step()
        opt.zero_grad(set_to_none=True)
print([round(v, 4) for v in net.weight.flatten().tolist()])
dist.destroy_process_group()

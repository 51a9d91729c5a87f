import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group(backend="gloo", init_method="env://")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape))
ddp_model = DDP(model)
CHECKPOINT_PATH = os.path.join(tempfile.gettempdir(), f"model-{os.environ['JOB']}.checkpoint")
if rank == 0:
    torch.save(ddp_model.state_dict(), CHECKPOINT_PATH)
dist.barrier()
map_location = {"cuda:%d" % 0: "cuda:%d" % rank}
state = torch.load(CHECKPOINT_PATH, map_location=map_location, weights_only=True)
print(ddp_model.load_state_dict(state))
loss_fn = nn.MSELoss()
optimizer = torch.optim.AdamW(ddp_model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
for epoch in range(3):
    optimizer.zero_grad()
    outputs = ddp_model(torch.ones(5, 4) * (rank + 1) / 3)
    loss = loss_fn(outputs, torch.zeros(5, 1))
    loss.backward()
    optimizer.step()
    scheduler.step()
    if rank == 0:
        torch.save(
            {
                "epoch": epoch,
                "model": ddp_model.module.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
            },
            CHECKPOINT_PATH,
        )
    dist.barrier()
    saved = torch.load(CHECKPOINT_PATH, map_location="cpu", weights_only=True)
    print(rank, saved["epoch"], f"{loss.item():.4f}", scheduler.get_last_lr(), sorted(saved))
    optimizer.load_state_dict(saved["optimizer"])
    ddp_model.module.load_state_dict(saved["model"])
dist.barrier()
if rank == 0:
    os.remove(CHECKPOINT_PATH)
dist.destroy_process_group()

"""d2l 11.11: cosine annealing with warm-up."""

import math

import torch
from torch import nn


class CosineScheduler:
    def __init__(self, max_update, base_lr=0.01, final_lr=0, warmup_steps=0, warmup_begin_lr=0):
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.max_steps = self.max_update - self.warmup_steps

    def get_warmup_lr(self, epoch):
        increase = (
            (self.base_lr_orig - self.warmup_begin_lr) * float(epoch) / float(self.warmup_steps)
        )
        return self.warmup_begin_lr + increase

    def __call__(self, epoch):
        if epoch < self.warmup_steps:
            return self.get_warmup_lr(epoch)
        if epoch <= self.max_update:
            self.base_lr = (
                self.final_lr
                + (self.base_lr_orig - self.final_lr)
                * (1 + math.cos(math.pi * (epoch - self.warmup_steps) / self.max_steps))
                / 2
            )
        return self.base_lr


net = nn.Linear(3, 1)
nn.init.ones_(net.weight)
nn.init.zeros_(net.bias)
X, y = torch.arange(12.0).reshape(4, 3) / 10, torch.arange(4.0).reshape(4, 1)
scheduler = CosineScheduler(10, warmup_steps=3, base_lr=0.3, final_lr=0.01)
trainer = torch.optim.SGD(net.parameters(), lr=0.3)
for epoch in range(12):
    trainer.param_groups[0]["lr"] = scheduler(epoch)
    trainer.zero_grad()
    l = nn.functional.mse_loss(net(X), y)
    l.backward()
    trainer.step()
    print(f"{trainer.param_groups[0]['lr']:.4f} {l:.4f}")
trainer = torch.optim.SGD(net.parameters(), lr=0.1)
warm = torch.optim.lr_scheduler.LinearLR(trainer, start_factor=0.1, total_iters=3)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(trainer, T_max=5, eta_min=0.001)
both = torch.optim.lr_scheduler.SequentialLR(trainer, [warm, cosine], milestones=[3])
for _ in range(8):
    trainer.step()
    both.step()
    print(f"{both.get_last_lr()[0]:.5f}")
cycle = torch.optim.lr_scheduler.OneCycleLR(trainer, max_lr=0.2, total_steps=6)
print(
    [
        round(trainer.param_groups[0]["lr"], 5)
        for _ in range(6)
        if trainer.step() is None and cycle.step() is None
    ]
)

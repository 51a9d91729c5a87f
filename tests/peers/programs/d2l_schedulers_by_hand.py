"""d2l 11.11: learning rates set by schedulers written by hand, and torch's own."""

import math

import torch
from torch import nn
from torch.optim import lr_scheduler


class SquareRootScheduler:
    def __init__(self, lr=0.1):
        self.lr = lr

    def __call__(self, num_update):
        return self.lr * pow(num_update + 1.0, -0.5)


class FactorScheduler:
    def __init__(self, factor=1, stop_factor_lr=1e-7, base_lr=0.1):
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.base_lr = base_lr

    def __call__(self, num_update):
        self.base_lr = max(self.stop_factor_lr, self.base_lr * self.factor)
        return self.base_lr


net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
trainer = torch.optim.SGD(net.parameters(), lr=0.3)
trainer.param_groups[0]["lr"] = 0.1
print(f"learning rate is now {trainer.param_groups[0]['lr']:.2f}")
scheduler = SquareRootScheduler(lr=0.1)
print([round(scheduler(t), 4) for t in torch.arange(5).tolist()])
print([round(float(scheduler(t)), 4) for t in torch.arange(3)])
scheduler = FactorScheduler(factor=0.9, stop_factor_lr=1e-2, base_lr=2.0)
print([round(scheduler(t), 4) for t in range(5)])
scheduler = lr_scheduler.MultiStepLR(trainer, milestones=[2, 4], gamma=0.5)


def get_lr(trainer, scheduler):
    lr = scheduler.get_last_lr()[0]
    trainer.step()
    scheduler.step()
    return lr


print([get_lr(trainer, scheduler) for t in range(6)])
for epoch in range(3):
    for param_group in trainer.param_groups:
        param_group["lr"] = SquareRootScheduler(0.3)(epoch)
    print(round(trainer.param_groups[0]["lr"], 4))

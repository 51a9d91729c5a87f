import torch
from torch import nn, optim
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import (
    CosineAnnealingWarmRestarts,
    LinearLR,
    OneCycleLR,
    SequentialLR,
)

model = nn.Linear(4, 2)


def rates(make, lr=0.1, **kwargs):
    optimizer = optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    scheduler = make(optimizer, **kwargs)
    seen = []
    for epoch in range(10):
        seen.append(round(optimizer.param_groups[0]["lr"], 6))
        optimizer.step()
        scheduler.step()
    print(scheduler.__class__.__name__, seen, scheduler.last_epoch)


rates(OneCycleLR, max_lr=0.1, total_steps=12)
rates(OneCycleLR, max_lr=0.1, steps_per_epoch=5, epochs=3, pct_start=0.2, anneal_strategy="linear")
rates(CosineAnnealingWarmRestarts, T_0=3, T_mult=2, eta_min=0.001)
rates(LinearLR, start_factor=0.5, total_iters=4)
rates(lr_scheduler.ConstantLR, factor=0.5, total_iters=4)
rates(lr_scheduler.PolynomialLR, total_iters=6, power=2.0)
rates(lr_scheduler.MultiplicativeLR, lr_lambda=lambda epoch: 0.95)
rates(lr_scheduler.CyclicLR, base_lr=0.01, max_lr=0.1, step_size_up=3, mode="triangular2")
rates(lr_scheduler.CyclicLR, base_lr=0.01, max_lr=0.1, step_size_up=3, mode="exp_range", gamma=0.9)

# linear warm-up, then cosine
optimizer = optim.AdamW(model.parameters(), lr=1e-2)
warmup = LinearLR(optimizer, start_factor=0.1, total_iters=3)
cosine = lr_scheduler.CosineAnnealingLR(optimizer, T_max=7)
scheduler = SequentialLR(optimizer, schedulers=[warmup, cosine], milestones=[3])
for epoch in range(10):
    optimizer.step()
    scheduler.step()
    print(epoch, "%.6f" % scheduler.get_last_lr()[0])

optimizer = optim.SGD(model.parameters(), lr=1.0)
scheduler = lr_scheduler.ChainedScheduler(
    [
        lr_scheduler.ConstantLR(optimizer, factor=0.1, total_iters=2),
        lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
    ]
)
for epoch in range(5):
    optimizer.step()
    scheduler.step()
    print(epoch, "%.6f" % scheduler.get_last_lr()[0])

# momentum is cycled against the rate
optimizer = optim.Adam(model.parameters(), lr=1e-3)
scheduler = OneCycleLR(optimizer, max_lr=1e-2, total_steps=8)
for step in range(8):
    group = optimizer.param_groups[0]
    print(step, "%.6f %.4f" % (group["lr"], group["betas"][0]))
    optimizer.step()
    if step < 7:
        scheduler.step()
state = scheduler.state_dict()
print(state["last_epoch"], state["total_steps"])

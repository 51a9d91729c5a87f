import torch
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR

p = nn.Parameter(torch.ones(1))
optimizer = optim.SGD([p], lr=0.1, momentum=0.9)
scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    optimizer.step()
    scheduler.step()
    print(epoch, scheduler.get_last_lr(), optimizer.param_groups[0]["lr"])
for make in (
    lambda o: optim.lr_scheduler.ExponentialLR(o, gamma=0.9),
    lambda o: optim.lr_scheduler.MultiStepLR(o, milestones=[1, 3], gamma=0.1),
    lambda o: optim.lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1)),
    lambda o: optim.lr_scheduler.CosineAnnealingLR(o, T_max=5),
):
    optimizer = optim.Adam([p], lr=0.01)
    scheduler = make(optimizer)
    rates = []
    for _ in range(5):
        optimizer.step()
        scheduler.step()
        rates.append(round(scheduler.get_last_lr()[0], 8))
    print(rates)
plateau = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
for value in (1.0, 1.0, 1.0, 0.5):
    plateau.step(value)
print(optimizer.param_groups[0]["lr"])

import torch
from torch import optim
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)

p = torch.nn.Parameter(torch.zeros(1))


def run(make, steps=6):
    opt = optim.SGD([p], lr=0.1, momentum=0.9)
    sched = make(opt)
    rates = []
    for _ in range(steps):
        opt.step()
        rates.append(round(opt.param_groups[0]["lr"], 5))
        sched.step()
    print(rates)


run(lambda o: StepLR(o, step_size=2, gamma=0.5))
run(lambda o: ExponentialLR(o, 0.9))
run(lambda o: CosineAnnealingLR(o, T_max=5, eta_min=0.001))
run(lambda o: CosineAnnealingWarmRestarts(o, T_0=3))
run(lambda o: OneCycleLR(o, max_lr=0.5, steps_per_epoch=3, epochs=2))
run(lambda o: LambdaLR(o, lr_lambda=lambda e: min(1.0, (e + 1) / 4)))
run(
    lambda o: SequentialLR(
        o, [LinearLR(o, 0.1, total_iters=2), ExponentialLR(o, 0.5)], milestones=[2]
    )
)
opt = optim.Adam([p], lr=0.01)
plateau = ReduceLROnPlateau(opt, mode="min", factor=0.1, patience=1)
for loss in [1.0, 0.9, 0.95, 0.95, 0.95]:
    plateau.step(loss)
    print(opt.param_groups[0]["lr"])

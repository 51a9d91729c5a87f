import torch
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)


def run(make, steps=8, metric=False):
    p = torch.nn.Parameter(torch.zeros(1))
    opt = torch.optim.SGD([p], lr=1.0, momentum=0.9)
    sched = make(opt)
    out = []
    for i in range(steps):
        out.append(round(opt.param_groups[0]["lr"], 4))
        opt.step()
        sched.step(1.0) if metric else sched.step()
    return out


print("step", run(lambda o: StepLR(o, 3, gamma=0.5)))
print("multi", run(lambda o: MultiStepLR(o, milestones=[2, 5], gamma=0.1)))
print("exp", run(lambda o: ExponentialLR(o, 0.9)))
print("cos", run(lambda o: CosineAnnealingLR(o, T_max=5, eta_min=0.1)))
print("warm", run(lambda o: CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2)))
print("cyc", run(lambda o: CyclicLR(o, base_lr=0.1, max_lr=0.5, step_size_up=3)))
print("one", run(lambda o: OneCycleLR(o, max_lr=0.5, total_steps=8)))
print("lin", run(lambda o: LinearLR(o, start_factor=0.25, total_iters=4)))
print("poly", run(lambda o: PolynomialLR(o, total_iters=4, power=2.0)))
print("lam", run(lambda o: LambdaLR(o, lr_lambda=lambda e: 0.95**e)))
print("plat", run(lambda o: ReduceLROnPlateau(o, "min", factor=0.1, patience=2), metric=True))
print(
    "seq",
    run(
        lambda o: SequentialLR(
            o,
            [LinearLR(o, start_factor=0.1, total_iters=2), ExponentialLR(o, gamma=0.9)],
            milestones=[2],
        )
    ),
)
opt = torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
s = StepLR(opt, 2)
opt.step()
s.step()
print(s.get_last_lr(), s.last_epoch, sorted(s.state_dict()))
for g in opt.param_groups:
    g["lr"] *= 0.5
print(opt.param_groups[0]["lr"], opt)

import torch
from torch.optim import lr_scheduler

p = [torch.nn.Parameter(torch.zeros(1))]


def lrs(make, n=8):
    opt = torch.optim.SGD(p, lr=0.1)
    s = make(opt)
    out = []
    for _ in range(n):
        out.append(round(opt.param_groups[0]["lr"], 6))
        opt.step()
        s.step()
    return out


print(lrs(lambda o: lr_scheduler.StepLR(o, step_size=3, gamma=0.5)))
print(lrs(lambda o: lr_scheduler.MultiStepLR(o, milestones=[2, 5], gamma=0.1)))
print(lrs(lambda o: lr_scheduler.ExponentialLR(o, 0.9)))
print(lrs(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=4, eta_min=0.01)))
print(lrs(lambda o: lr_scheduler.LambdaLR(o, lr_lambda=lambda e: min(1.0, (e + 1) / 4))))
print(lrs(lambda o: lr_scheduler.LinearLR(o, start_factor=0.1, total_iters=4)))
print(lrs(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2)))
print(lrs(lambda o: lr_scheduler.OneCycleLR(o, max_lr=1.0, total_steps=9)))
print(lrs(lambda o: lr_scheduler.PolynomialLR(o, total_iters=4, power=2.0)))
print(lrs(lambda o: lr_scheduler.ConstantLR(o, factor=0.5, total_iters=3)))
print(
    lrs(
        lambda o: lr_scheduler.CyclicLR(
            o, base_lr=0.01, max_lr=0.1, step_size_up=2, cycle_momentum=False
        )
    )
)
print(lrs(lambda o: lr_scheduler.MultiplicativeLR(o, lr_lambda=lambda e: 0.95)))
print(
    lrs(
        lambda o: lr_scheduler.SequentialLR(
            o,
            [lr_scheduler.LinearLR(o, 0.1, total_iters=3), lr_scheduler.ExponentialLR(o, 0.5)],
            milestones=[3],
        )
    )
)
print(
    lrs(
        lambda o: lr_scheduler.ChainedScheduler(
            [lr_scheduler.ConstantLR(o, 0.1, 2), lr_scheduler.ExponentialLR(o, 0.9)]
        )
    )
)
opt = torch.optim.SGD(p, lr=0.1)
plateau = lr_scheduler.ReduceLROnPlateau(opt, "min", factor=0.5, patience=1)
for loss in [1.0, 0.9, 0.95, 0.96, 0.97, 0.5]:
    plateau.step(loss)
    print(opt.param_groups[0]["lr"], plateau.num_bad_epochs, end=" ")
print(plateau.get_last_lr())
s = lr_scheduler.StepLR(opt, 2)
state = s.state_dict()
print(sorted(k for k in state if not k.startswith("_")))

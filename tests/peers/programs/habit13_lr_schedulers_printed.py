import warnings

warnings.filterwarnings("ignore")
import math

import torch
import torch.nn as nn
from torch.optim import SGD, Adam, lr_scheduler
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

model = nn.Linear(2, 1)


def fresh(lr=0.1, **kw):
    return SGD(model.parameters(), lr=lr, **kw)


def trace(make, n=8, lr=0.1, **kw):
    opt = fresh(lr, **kw)
    sch = make(opt)
    lrs = []
    for epoch in range(n):
        opt.step()
        lrs.append(opt.param_groups[0]["lr"])
        sch.step()
    return sch, lrs


def show(name, out):
    sch, lrs = out
    print(f"{name:22s}", " ".join(f"{v:.4f}" for v in lrs))
    return sch


s = show("StepLR", trace(lambda o: StepLR(o, step_size=3, gamma=0.1)))
print(s.get_last_lr(), s.last_epoch, s.state_dict()["step_size"], s.base_lrs)
show("MultiStepLR", trace(lambda o: MultiStepLR(o, milestones=[2, 5], gamma=0.5)))
show("ExponentialLR", trace(lambda o: ExponentialLR(o, gamma=0.9)))
show("CosineAnnealingLR", trace(lambda o: CosineAnnealingLR(o, T_max=4, eta_min=0.01)))
show("WarmRestarts", trace(lambda o: CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2)))
show("LinearLR", trace(lambda o: LinearLR(o, start_factor=0.25, total_iters=4)))
show("PolynomialLR", trace(lambda o: PolynomialLR(o, total_iters=6, power=2.0)))
show("LambdaLR warmup", trace(lambda o: LambdaLR(o, lr_lambda=lambda e: min(1.0, (e + 1) / 4))))
show(
    "MultiplicativeLR",
    trace(lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.95 if e % 2 else 0.8)),
)
show(
    "CyclicLR triangular2",
    trace(lambda o: CyclicLR(o, base_lr=0.01, max_lr=0.1, step_size_up=2, mode="triangular2")),
)
show(
    "OneCycleLR",
    trace(
        lambda o: OneCycleLR(
            o, max_lr=0.2, total_steps=10, pct_start=0.3, anneal_strategy="linear"
        ),
        momentum=0.9,
    ),
)
show(
    "SequentialLR",
    trace(
        lambda o: SequentialLR(
            o, [LinearLR(o, 0.1, total_iters=2), ExponentialLR(o, 0.5)], milestones=[3]
        )
    ),
)
show(
    "ChainedScheduler",
    trace(
        lambda o: lr_scheduler.ChainedScheduler(
            [lr_scheduler.ConstantLR(o, 0.1, total_iters=2), ExponentialLR(o, 0.9)]
        )
    ),
)


class WarmupCosine(lr_scheduler._LRScheduler):
    def __init__(self, optimizer, warmup, total, last_epoch=-1):
        self.warmup, self.total = warmup, total
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        e = self.last_epoch
        if e < self.warmup:
            return [b * (e + 1) / self.warmup for b in self.base_lrs]
        q = (e - self.warmup) / (self.total - self.warmup)
        return [0.5 * b * (1 + math.cos(math.pi * q)) for b in self.base_lrs]


sch = show("WarmupCosine (mine)", trace(lambda o: WarmupCosine(o, 3, 8)))
print(sorted(k for k in sch.state_dict() if not k.startswith("_")))

# param groups with their own lr
opt = Adam(
    [{"params": [model.weight], "lr": 1e-2}, {"params": [model.bias]}], lr=1e-3, weight_decay=1e-4
)
print(sorted(opt.defaults))
sch = LambdaLR(opt, [lambda e: 0.5**e, lambda e: 1 / (1 + e)])
for e in range(3):
    opt.step()
    sch.step()
    print(e, ["%.6f" % v for v in sch.get_last_lr()], [g["initial_lr"] for g in opt.param_groups])
opt2 = SGD(
    [{"params": [model.weight], "lr": 1e-2}, {"params": [model.bias], "weight_decay": 0}], lr=1e-3
)
print(opt2)
opt.add_param_group({"params": torch.nn.Parameter(torch.zeros(3))})
print(len(opt.param_groups), opt.param_groups[-1]["lr"])

# plateau
opt = fresh(1.0)
plateau = ReduceLROnPlateau(opt, mode="min", factor=0.5, patience=1, threshold=1e-3, min_lr=0.1)
vals = [1.0, 0.8, 0.8, 0.8, 0.79, 0.795, 0.795, 0.9, 0.9, 0.9]
for v in vals:
    plateau.step(v)
    print(v, opt.param_groups[0]["lr"], plateau.num_bad_epochs, end=" | ")
print("\nbest", plateau.best, plateau.get_last_lr())

# resume from the state dict
opt_a = fresh(0.1)
sa = CosineAnnealingLR(opt_a, 10)
for _ in range(4):
    opt_a.step(), sa.step()
opt_b = fresh(0.1)
sb = CosineAnnealingLR(opt_b, 10)
opt_b.load_state_dict(opt_a.state_dict())
sb.load_state_dict(sa.state_dict())
opt_a.step(), sa.step(), opt_b.step(), sb.step()
print(
    "%.6f %.6f" % (opt_a.param_groups[0]["lr"], opt_b.param_groups[0]["lr"]),
    sb.last_epoch,
    type(sb).__name__,
)

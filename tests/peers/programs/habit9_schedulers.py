import math
import warnings

import torch
from torch.optim import lr_scheduler as S
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)

warnings.simplefilter("ignore")


def mk(lr=0.1, mom=0.9):
    a, b = (torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1)))
    return torch.optim.SGD(
        [{"params": [a]}, {"params": [b], "lr": lr / 10, "name": "head"}], lr=lr, momentum=mom
    )


def run(name, sch, opt, n=6):
    out = []
    for _ in range(n):
        opt.step()
        sch.step()
        out.append([round(v, 5) for v in sch.get_last_lr()])
    print(name, out)


print(mk())


def warmup_cosine(step, warm=3, total=10):
    if step < warm:
        return step / max(1, warm)
    return max(0.0, 0.5 * (1.0 + math.cos(math.pi * (step - warm) / (total - warm))))


o = mk()
s = LambdaLR(o, warmup_cosine)
run("lambda", s, o)
print(s.state_dict(), s.base_lrs, o)
o = mk()
run("lambda2", LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (e + 1)]), o)
for name, f in [
    ("multi", lambda o: MultiStepLR(o, milestones=[2, 4], gamma=0.1)),
    ("exp", lambda o: ExponentialLR(o, 0.5)),
    ("cos", lambda o: CosineAnnealingLR(o, 5, eta_min=0.001)),
    ("warm", lambda o: CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2)),
    ("lin", lambda o: LinearLR(o, start_factor=0.5, total_iters=4)),
    ("const", lambda o: ConstantLR(o, factor=0.5, total_iters=2)),
    ("poly", lambda o: PolynomialLR(o, total_iters=4, power=2.0)),
    ("mult", lambda o: MultiplicativeLR(o, lambda e: 0.95)),
    ("one", lambda o: OneCycleLR(o, max_lr=0.5, total_steps=10)),
    ("cyc", lambda o: CyclicLR(o, base_lr=0.01, max_lr=0.1, step_size_up=2, mode="triangular2")),
    (
        "seq",
        lambda o: SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)], milestones=[2]),
    ),
    ("chain", lambda o: ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)])),
]:
    o = mk()
    s = f(o)
    run(name, s, o)
    print(sorted((k for k in s.state_dict() if not k.startswith("_"))))
    print(type(s).__name__, isinstance(s, S.LRScheduler), s.optimizer is o)
o = mk()
s = ReduceLROnPlateau(
    o, mode="min", factor=0.5, patience=1, threshold=0.001, cooldown=0, min_lr=0.001
)
for v in [1.0, 0.9, 0.9, 0.9, 0.9, 0.95, 0.8]:
    s.step(v)
    print(v, [g["lr"] for g in o.param_groups], s.num_bad_epochs, s.best)
print(s.state_dict())
o = mk()
s = OneCycleLR(
    o, max_lr=[0.1, 0.2], epochs=2, steps_per_epoch=5, pct_start=0.3, anneal_strategy="linear"
)
print([k for k in o.param_groups[0]], [round(g["momentum"], 3) for g in o.param_groups])
s2 = CosineAnnealingLR(mk(), 5)
sd = s2.state_dict()
sd["last_epoch"] = 3
s2.load_state_dict(sd)
print(s2.last_epoch, sd)


class Noam(S.LRScheduler):
    def __init__(self, opt, d, warm, last_epoch=-1):
        self.d, self.warm = (d, warm)
        super().__init__(opt, last_epoch)

    def get_lr(self):
        k = max(1, self.last_epoch)
        return [
            b * self.d ** (-0.5) * min(k ** (-0.5), k * self.warm ** (-1.5)) for b in self.base_lrs
        ]


o = mk()
run("noam", Noam(o, 64, 4), o)
for bad in (
    lambda: StepLR(mk(), 1),
    lambda: OneCycleLR(mk(), 0.1),
    lambda: ReduceLROnPlateau(mk(), factor=1.5),
    lambda: ReduceLROnPlateau(mk(), mode="best"),
    lambda: LambdaLR(mk(), [lambda e: 1]),
    lambda: SequentialLR(mk(), [], [1]),
    lambda: MultiStepLR(None, [1]),
):
    try:
        bad()
        print("no error")
    except Exception as e:
        print("refused")

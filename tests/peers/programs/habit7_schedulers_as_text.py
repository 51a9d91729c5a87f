import warnings

import torch
from torch.optim import lr_scheduler

warnings.simplefilter("ignore")


def curve(make, steps=12, momentum=0.9, metric=None):
    w = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([w], lr=1.0, momentum=momentum)
    scheduler = make(optimizer)
    values = []
    for step in range(steps):
        values.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step() if metric is None else scheduler.step(metric(step))
    return values


def plot(name, values, height=5):
    top = max(values)
    print(name, " ".join(f"{v:.4f}" for v in values))
    for row in range(height, 0, -1):
        print("|" + "".join("*" if v / top * height > row - 0.5 else " " for v in values))
    print("+" + "-" * len(values))


plot("step", curve(lambda o: lr_scheduler.StepLR(o, 4, gamma=0.5)))
plot("multi", curve(lambda o: lr_scheduler.MultiStepLR(o, [2, 7], 0.3)))
plot("exp", curve(lambda o: lr_scheduler.ExponentialLR(o, 0.8)))
plot("cos", curve(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=6, eta_min=0.1)))
plot("warm", curve(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3, T_mult=2)))
plot("poly", curve(lambda o: lr_scheduler.PolynomialLR(o, total_iters=8, power=2.0)))
plot("const", curve(lambda o: lr_scheduler.ConstantLR(o, factor=0.25, total_iters=3)))
plot("linear", curve(lambda o: lr_scheduler.LinearLR(o, 0.1, total_iters=5)))
plot(
    "cyclic",
    curve(lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=3, mode="triangular2")),
)
plot(
    "one",
    curve(lambda o: lr_scheduler.OneCycleLR(o, 2.0, total_steps=13, anneal_strategy="linear")),
)
plot(
    "lambda",
    curve(lambda o: lr_scheduler.LambdaLR(o, lambda e: min((e + 1) / 4, 1.0 / (e + 1) ** 0.5))),
)
plot("mult", curve(lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.9)))
plot(
    "plateau",
    curve(
        lambda o: lr_scheduler.ReduceLROnPlateau(o, factor=0.5, patience=1, threshold=1e-2),
        metric=lambda s: max(1.0 - 0.2 * s, 0.3),
    ),
)
plot(
    "chained",
    curve(
        lambda o: lr_scheduler.ChainedScheduler(
            [lr_scheduler.ConstantLR(o, 0.5, 2), lr_scheduler.ExponentialLR(o, 0.9)]
        )
    ),
)
plot(
    "sequence",
    curve(
        lambda o: lr_scheduler.SequentialLR(
            o,
            [lr_scheduler.LinearLR(o, 0.2, total_iters=3), lr_scheduler.CosineAnnealingLR(o, 9)],
            [3],
        )
    ),
)
o = torch.optim.AdamW(
    [
        {"params": [torch.nn.Parameter(torch.zeros(2))], "lr": 0.1},
        {"params": [torch.nn.Parameter(torch.zeros(2))]},
    ],
    lr=0.01,
)
s = lr_scheduler.StepLR(o, 1)
for _ in range(2):
    o.step()
    s.step()
print(s.get_last_lr(), s.last_epoch, s.base_lrs)
print(
    {
        k: v
        for k, v in s.state_dict().items()
        if k in ("step_size", "gamma", "last_epoch", "base_lrs", "_last_lr")
    }
)
print(o)

import torch
from torch.optim import lr_scheduler as S

w = torch.nn.Parameter(torch.zeros(2))


def run(make, n=8, lr=1.0):
    opt = torch.optim.SGD([w], lr=lr, momentum=0.9)
    sched = make(opt)
    out = []
    for _ in range(n):
        out.append(round(opt.param_groups[0]["lr"], 5))
        opt.step()
        sched.step()
    return out, sched


for name, make in {
    "step": lambda o: S.StepLR(o, 3, gamma=0.5),
    "multi": lambda o: S.MultiStepLR(o, [2, 5]),
    "exp": lambda o: S.ExponentialLR(o, 0.9),
    "cos": lambda o: S.CosineAnnealingLR(o, T_max=4, eta_min=0.1),
    "warm": lambda o: S.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2),
    "linear": lambda o: S.LinearLR(o, start_factor=0.25, total_iters=4),
    "const": lambda o: S.ConstantLR(o, factor=0.5, total_iters=3),
    "poly": lambda o: S.PolynomialLR(o, total_iters=5, power=2.0),
    "lambda": lambda o: S.LambdaLR(o, lambda e: 0.95**e),
    "mult": lambda o: S.MultiplicativeLR(o, lambda e: 0.8),
    "cyclic": lambda o: S.CyclicLR(o, base_lr=0.1, max_lr=1.0, step_size_up=2),
    "onecycle": lambda o: S.OneCycleLR(o, max_lr=1.0, total_steps=10),
    "seq": lambda o: S.SequentialLR(
        o, [S.ConstantLR(o, 0.1, total_iters=2), S.ExponentialLR(o, 0.9)], milestones=[2]
    ),
    "chain": lambda o: S.ChainedScheduler(
        [S.ConstantLR(o, 0.1, total_iters=2), S.ExponentialLR(o, 0.9)]
    ),
}.items():
    values, sched = run(make)
    print(name, values, sched.get_last_lr())

opt = torch.optim.Adam(
    [{"params": [w], "lr": 0.1}, {"params": [torch.nn.Parameter(torch.ones(1))], "lr": 0.01}]
)
sched = S.LambdaLR(opt, [lambda e: 1 / (1 + e), lambda e: 0.5**e])
for _ in range(3):
    opt.step()
    sched.step()
print(sched.get_last_lr(), sched.last_epoch)
state = sched.state_dict()
print(sorted(k for k in state if not k.startswith("_")))
fresh = S.LambdaLR(opt, [lambda e: 1 / (1 + e), lambda e: 0.5**e])
fresh.load_state_dict(state)
print(fresh.last_epoch)
plateau = S.ReduceLROnPlateau(opt, mode="min", factor=0.1, patience=1, threshold=1e-3)
for metric in [1.0, 0.9, 0.9, 0.9, 0.9, 0.5]:
    plateau.step(metric)
    print([g["lr"] for g in opt.param_groups], plateau.num_bad_epochs)

"""LR finder (fastai style), OneCycle, SWA, EMA averaging, gradient accumulation, schedulers zoo."""

import copy
import math
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR, _LRScheduler
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


class ExponentialLR(_LRScheduler):
    def __init__(self, optimizer, end_lr, num_iter, last_epoch=-1):
        self.end_lr, self.num_iter = end_lr, num_iter
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        r = self.last_epoch / (self.num_iter - 1)
        return [base_lr * (self.end_lr / base_lr) ** r for base_lr in self.base_lrs]


class LRFinder:
    def __init__(self, model, optimizer, criterion):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.history = {"lr": [], "loss": []}
        self.state = {
            "model": copy.deepcopy(model.state_dict()),
            "optimizer": copy.deepcopy(optimizer.state_dict()),
        }

    def reset(self):
        self.model.load_state_dict(self.state["model"])
        self.optimizer.load_state_dict(self.state["optimizer"])

    def range_test(self, loader, end_lr=10, num_iter=30, smooth_f=0.05, diverge_th=5):
        sched = ExponentialLR(self.optimizer, end_lr, num_iter)
        it, best = iter(loader), None
        for i in range(num_iter):
            try:
                x, y = next(it)
            except StopIteration:
                it = iter(loader)
                x, y = next(it)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            self.history["lr"].append(sched.get_last_lr()[0])
            sched.step()
            l = loss.item()
            if i > 0:
                l = smooth_f * l + (1 - smooth_f) * self.history["loss"][-1]
            best = l if best is None else min(best, l)
            self.history["loss"].append(l)
            if l > diverge_th * best or math.isnan(l):
                return "stopped"
        return "finished"


def build():
    m = nn.Sequential(
        nn.Linear(4, 16), nn.BatchNorm1d(16), nn.SELU(), nn.Linear(16, 1), nn.Flatten(0)
    )
    for i, p in enumerate(m.parameters()):
        if p.dim() == 2:
            p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float) + i).view_as(p) * 0.4
    for l in (m[0], m[3]):
        nn.init.zeros_(l.bias)
    return m


X = torch.sin(torch.arange(64 * 4) * 0.37).view(64, 4)
y = (X * torch.tensor([1.0, -2.0, 0.5, 0.0])).sum(1)
loader = DataLoader(TensorDataset(X, y), batch_size=16)
model = build()
opt = torch.optim.SGD(model.parameters(), lr=1e-4)
finder = LRFinder(model, opt, nn.MSELoss())
status = finder.range_test(loader)
w = model[0].weight.detach().clone()
finder.reset()
print(
    status in ("stopped", "finished"),
    [round(v, 6) for v in finder.history["lr"][:4]],
    not torch.equal(w, model[0].weight),
)
print("lr restored", opt.param_groups[0]["lr"])
swa_model = AveragedModel(model)
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
sched = CosineAnnealingLR(opt, T_max=10, eta_min=1e-3)
opt.param_groups[0]["lr"] = 0.05
swa_sched = SWALR(opt, anneal_strategy="linear", anneal_epochs=2, swa_lr=0.02)
accum, l0 = 2, F.mse_loss(model(X), y).item()
for epoch in range(8):
    for i, (xb, yb) in enumerate(loader):
        loss = F.mse_loss(model(xb), yb) / accum
        loss.backward()
        if (i + 1) % accum == 0 or i + 1 == len(loader):
            nn.utils.clip_grad_value_(model.parameters(), clip_value=1.0)
            opt.step()
            opt.zero_grad()
    ema_model.update_parameters(model)
    if epoch > 3:
        swa_model.update_parameters(model)
        swa_sched.step()
update_bn(loader, swa_model)
print(
    "n_averaged",
    swa_model.n_averaged.item(),
    ema_model.n_averaged.item(),
    "lr %.4f" % opt.param_groups[0]["lr"],
)
print(
    "better",
    F.mse_loss(swa_model(X), y).item() < l0,
    swa_model.module[1].num_batches_tracked.item(),
)
print(list(swa_model.state_dict())[:3])


def trace(make, n=6):
    o = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0, momentum=0.9)
    s = make(o)
    out = []
    for _ in range(n):
        out.append(round(o.param_groups[0]["lr"], 4))
        o.step()
        s.step()
    return out


print(
    "onecycle",
    trace(
        lambda o: lr_scheduler.OneCycleLR(
            o, max_lr=1.0, total_steps=8, pct_start=0.25, three_phase=False
        )
    ),
)
print(
    "seq",
    trace(
        lambda o: SequentialLR(
            o, [LinearLR(o, 0.1, total_iters=2), lr_scheduler.ExponentialLR(o, 0.5)], milestones=[2]
        )
    ),
)
print(
    "chained",
    trace(
        lambda o: lr_scheduler.ChainedScheduler(
            [lr_scheduler.ConstantLR(o, 0.5, 2), lr_scheduler.StepLR(o, 2, 0.1)]
        )
    ),
)
print("warm", trace(lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2)))
print(
    "cyclic",
    trace(lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="triangular2")),
)
print("poly", trace(lambda o: lr_scheduler.PolynomialLR(o, total_iters=5, power=2.0)))
print("mult", trace(lambda o: lr_scheduler.MultiplicativeLR(o, lr_lambda=lambda e: 0.9)))
o = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
plateau = lr_scheduler.ReduceLROnPlateau(
    o, mode="max", factor=0.2, patience=1, threshold=1e-3, cooldown=1, min_lr=0.01
)
for metric in (0.5, 0.6, 0.6, 0.6, 0.6, 0.6):
    plateau.step(metric)
print("plateau", round(o.param_groups[0]["lr"], 4), plateau.num_bad_epochs, plateau.best)
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "ckpt.pt")
    torch.save(
        {
            "model": model.state_dict(),
            "opt": opt.state_dict(),
            "sched": swa_sched.state_dict(),
            "epoch": 8,
        },
        path,
    )
    ck = torch.load(path, map_location=torch.device("cpu"), weights_only=False)
    print(sorted(ck), ck["epoch"], build().load_state_dict(ck["model"]))

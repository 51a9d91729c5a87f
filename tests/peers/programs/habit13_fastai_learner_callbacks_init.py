import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math
from functools import partial
from operator import attrgetter

import torch
import torch.nn.functional as F
from torch import nn, optim, tensor
from torch.nn import init

torch.set_printoptions(precision=2, linewidth=125, sci_mode=False)

# --- initialisation experiments of lesson 8/17
x = torch.sin(torch.arange(200 * 50).double() ** 1.5).float().view(200, 50) * math.sqrt(2)
w = torch.cos(torch.arange(50 * 50).double() ** 1.3).float().view(50, 50) * math.sqrt(2)
print(x.mean(), x.std(), w.mean(), w.std())
t = x.clone()
for i in range(28):
    t = t @ w
print(torch.isfinite(t).all(), (t.std() > 1e20).item())
t = x.clone()
for i in range(10):
    t = F.relu(t @ (w * math.sqrt(2 / 50)))
print("kaiming-like", 0.1 < t.std() < 10, tuple(t.shape))
lin = nn.Linear(50, 30)
init.kaiming_normal_(lin.weight)
print("kaiming std ok:", abs(lin.weight.std().item() - math.sqrt(2 / 50)) < 0.02)
init.xavier_uniform_(lin.weight, gain=init.calculate_gain("relu"))
print(
    "xavier bound ok:",
    (lin.weight.abs().max() <= math.sqrt(2) * math.sqrt(6 / 80)).item(),
    init.calculate_gain("leaky_relu", 0.1),
)
init.eye_(lin.weight), init.ones_(lin.bias)
print(lin.weight.sum(), lin.bias[:3], f"{init.orthogonal_(torch.empty(3, 3)).det().abs():.4f}")


class CancelEpochException(Exception):
    pass


class Callback:
    order = 0


class MetricsCB(Callback):
    def before_epoch(self, learn):
        self.n, self.tot, self.acc = 0, 0.0, 0.0

    def after_batch(self, learn):
        bs = len(learn.batch[0])
        self.n += bs
        self.tot += learn.loss.detach() * bs
        self.acc += (learn.preds.argmax(dim=1) == learn.batch[1]).float().sum()

    def after_epoch(self, learn):
        print(
            {
                "epoch": learn.epoch,
                "train": learn.training,
                "loss": f"{self.tot / self.n:.3f}",
                "acc": f"{self.acc / self.n:.3f}",
            }
        )


class BatchSchedCB(Callback):
    def __init__(self, sched):
        self.sched = sched

    def before_fit(self, learn):
        self.schedo, self.lrs = self.sched(learn.opt), []

    def after_batch(self, learn):
        if learn.training:
            self.lrs.append(learn.opt.param_groups[0]["lr"])
            self.schedo.step()


class StopCB(Callback):
    order = 10

    def after_batch(self, learn):
        if learn.training and learn.epoch == 2:
            raise CancelEpochException()


class Learner:
    def __init__(self, model, dls, loss_func, lr, cbs, opt_func=optim.SGD):
        self.model, self.dls, self.loss_func, self.lr, self.opt_func = (
            model,
            dls,
            loss_func,
            lr,
            opt_func,
        )
        self.cbs = cbs

    def callback(self, name):
        for cb in sorted(self.cbs, key=attrgetter("order")):
            m = getattr(cb, name, None)
            if m is not None:
                m(self)

    def one_epoch(self, train):
        self.model.train(train)
        self.training = train
        try:
            self.callback("before_epoch")
            for self.batch in self.dls[0 if train else 1]:
                self.preds = self.model(self.batch[0])
                self.loss = self.loss_func(self.preds, self.batch[1])
                if train:
                    self.loss.backward()
                    self.opt.step()
                    self.opt.zero_grad()
                self.callback("after_batch")
            self.callback("after_epoch")
        except CancelEpochException:
            print("cancelled epoch", self.epoch)

    def fit(self, n_epochs):
        self.opt = self.opt_func(self.model.parameters(), self.lr)
        self.callback("before_fit")
        for self.epoch in range(n_epochs):
            self.one_epoch(True)
            with torch.no_grad():
                self.one_epoch(False)


class GeneralRelu(nn.Module):
    def __init__(self, leak=None, sub=None, maxv=None):
        super().__init__()
        self.leak, self.sub, self.maxv = leak, sub, maxv

    def forward(self, x):
        x = F.leaky_relu(x, self.leak) if self.leak is not None else F.relu(x)
        if self.sub is not None:
            x -= self.sub
        if self.maxv is not None:
            x.clamp_max_(self.maxv)
        return x


xs = torch.sin(torch.arange(120 * 6, dtype=torch.float64) ** 1.2).float().view(120, 6)
ys = (xs[:, 0] + xs[:, 1] > 0).long() + (xs[:, 2] > 0.3).long()
batches = [(xs[i : i + 20], ys[i : i + 20]) for i in range(0, 120, 20)]
model = nn.Sequential(
    nn.Linear(6, 16), GeneralRelu(0.1, 0.4, 6.0), nn.BatchNorm1d(16), nn.Linear(16, 3)
)
for j, p in enumerate(p for p in model.parameters() if p.dim() > 1):
    p.data = torch.sin(torch.arange(p.numel()) * 2.2 + j).view_as(p) * 0.5
for l in model:
    l.bias.data.zero_() if hasattr(l, "bias") else None
print(model)
sched = BatchSchedCB(partial(optim.lr_scheduler.OneCycleLR, max_lr=0.06, total_steps=16))
Learner(
    model,
    (batches[:5], batches[5:]),
    F.cross_entropy,
    0.2,
    [MetricsCB(), sched, StopCB()],
    optim.AdamW,
).fit(3)
print(["%.4f" % v for v in sched.lrs])
print(model[2].running_mean[:5], model[2].num_batches_tracked)
torch.set_printoptions(profile="default")

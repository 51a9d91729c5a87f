import copy
from copy import deepcopy

import torch
import torch.nn as nn
from torch.optim.swa_utils import (
    SWALR,
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    update_bn,
)


def build():
    m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_((torch.arange(p.numel()) + i).float().cos().view_as(p))
    return m


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {n: p.data.clone() for n, p in model.named_parameters() if p.requires_grad}
        self.backup = {}

    def update(self, model):
        for n, p in model.named_parameters():
            if p.requires_grad:
                assert n in self.shadow
                self.shadow[n] = (1.0 - self.decay) * p.data + self.decay * self.shadow[n]

    def apply_shadow(self, model):
        for n, p in model.named_parameters():
            self.backup[n] = p.data
            p.data = self.shadow[n]

    def restore(self, model):
        for n, p in model.named_parameters():
            p.data = self.backup.pop(n)


class ModelEMA(nn.Module):
    def __init__(self, model, decay=0.99):
        super().__init__()
        self.module = deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for e, m in zip(self.module.state_dict().values(), model.state_dict().values()):
            if e.dtype.is_floating_point:
                e.mul_(self.decay).add_(m.detach(), alpha=1 - self.decay)
            else:
                e.copy_(m)

    def forward(self, x):
        return self.module(x)


model = build()
ema, ema2 = EMA(model), ModelEMA(model)
swa = AveragedModel(model)
e3 = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
e4 = AveragedModel(model, avg_fn=lambda a, m, n: 0.5 * a + 0.5 * m)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
sched = SWALR(opt, swa_lr=0.01, anneal_epochs=3)
x = torch.linspace(-1, 1, 24).view(8, 3)
y = x.sum(1, keepdim=True)
for step in range(5):
    loss = nn.functional.l1_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    for e in (ema, ema2):
        e.update(model)
    for a in (swa, e3, e4):
        a.update_parameters(model)
    print(step, f"{loss:.4f}", [f"{lr:.4f}" for lr in sched.get_last_lr()])
print(
    ema.shadow["0.bias"],
    ema2.module[0].bias,
    swa.module[0].bias,
    e3.module[1].running_mean,
    e4.module[3].weight,
    sep="\n",
)
w = model[0].weight.clone()
ema.apply_shadow(model)
print(torch.equal(model[0].weight, ema.shadow["0.weight"]), torch.equal(w, model[0].weight))
ema.restore(model)
print(
    torch.equal(w, model[0].weight), ema.backup, swa.n_averaged, ema2.module[1].num_batches_tracked
)
update_bn([x[:4], x[4:]], swa)
print(
    swa.module[1].running_mean,
    swa(x).shape,
    next(ema2.parameters()).requires_grad,
    ema2.training,
    ema2.module.training,
)
print(list(swa.state_dict())[:3])
avg = {
    k: torch.stack([m.state_dict()[k].float() for m in (model, ema2.module)]).mean(0)
    for k in model.state_dict()
}
soup = build()
print(soup.load_state_dict(avg), soup[0].bias, soup[1].num_batches_tracked)
a = copy.copy(model)
b = copy.deepcopy(model)
print(
    a[0].weight is model[0].weight,
    b[0].weight is model[0].weight,
    torch.equal(b[0].weight, model[0].weight),
    b[0].weight.grad is not None,
)
with torch.no_grad():
    torch._foreach_mul_(list(b.parameters()), 0.5)
torch._foreach_add_(list(b.parameters()), list(model.parameters()), alpha=0.5) if False else None
print(b[0].bias, torch.nn.utils.parameters_to_vector(b.parameters())[:3])
torch.nn.utils.vector_to_parameters(
    torch.zeros(sum(p.numel() for p in b.parameters())), b.parameters()
)
print(b[3].weight)

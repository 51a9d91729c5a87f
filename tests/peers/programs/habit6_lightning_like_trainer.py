import dataclasses
import functools
import math
from typing import Optional

import torch
from torch import Tensor, nn, optim
from torch.optim.lr_scheduler import LambdaLR, _LRScheduler
from torch.utils.data import DataLoader, TensorDataset


@dataclasses.dataclass
class Config:
    lr: float = 0.1
    warmup: int = 2
    total: int = 8
    clip: Optional[float] = 1.0
    accumulate: int = 2


class WarmupCosine(_LRScheduler):
    def __init__(self, opt, warmup, total, last_epoch=-1):
        self.warmup, self.total = warmup, total
        super().__init__(opt, last_epoch)

    def get_lr(self):
        if self.last_epoch < self.warmup:
            return [b * (self.last_epoch + 1) / self.warmup for b in self.base_lrs]
        t = (self.last_epoch - self.warmup) / max(1, self.total - self.warmup)
        return [b * 0.5 * (1 + math.cos(math.pi * t)) for b in self.base_lrs]


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))

    def training_step(self, batch, i) -> Tensor:
        x, y = batch
        return nn.functional.cross_entropy(self.net(x), y)

    @property
    def device(self):
        return next(self.parameters()).device


class EarlyStopping:
    def __init__(self, patience=2, delta=0.0):
        self.best, self.bad, self.patience, self.delta = math.inf, 0, patience, delta

    def __call__(self, loss):
        if loss < self.best - self.delta:
            self.best, self.bad = loss, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


class Trainer:
    def __init__(self, cfg):
        self.cfg, self.log = cfg, []

    def fit(self, model, loader):
        cfg = self.cfg
        decay = [p for p in model.parameters() if p.ndim > 1]
        rest = [p for p in model.parameters() if p.ndim <= 1]
        opt = optim.AdamW(
            [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}],
            lr=cfg.lr,
            betas=(0.9, 0.95),
        )
        sched = WarmupCosine(opt, cfg.warmup, cfg.total)
        stop = EarlyStopping()
        for epoch in range(4):
            model.train()
            running = 0.0
            for i, batch in enumerate(loader):
                loss = (
                    model.training_step([b.to(model.device, non_blocking=True) for b in batch], i)
                    / cfg.accumulate
                )
                loss.backward()
                running += loss.item() * cfg.accumulate
                if (i + 1) % cfg.accumulate == 0 or i + 1 == len(loader):
                    norm = nn.utils.clip_grad_norm_(model.parameters(), cfg.clip)
                    opt.step()
                    opt.zero_grad(set_to_none=True)
                    sched.step()
            self.log.append(
                (epoch, round(running / len(loader), 3), [round(v, 4) for v in sched.get_last_lr()])
            )
            if stop(running):
                break
        return opt


x = torch.linspace(-1, 1, 16).view(8, 2)
y = (x[:, 0] > 0).long()
model = Module()
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(torch.sin(torch.arange(float(p.numel())) + i).view_as(p) * 0.5)
trainer = Trainer(Config())
opt = trainer.fit(model, DataLoader(TensorDataset(x, y), batch_size=2, pin_memory=False))
for row in trainer.log:
    print(row)
model.eval()
with torch.inference_mode():
    pred = model.net(x).softmax(-1).argmax(-1)
print((pred == y).float().mean(), [p.requires_grad for p in model.parameters()], model.device)
print(
    [n for n, p in model.named_parameters() if "bias" in n],
    opt.param_groups[1]["weight_decay"],
    sum(p.numel() for p in model.parameters() if p.requires_grad),
)
partial = functools.partial(torch.sum, dim=0)
print(
    partial(x).shape,
    torch.compile(model.net)(x).shape if hasattr(torch, "compile") and False else "eager",
    next(iter(DataLoader(TensorDataset(x, y), batch_size=3, shuffle=True)))[0].shape,
)
grads = [p.grad for p in model.parameters()]
print(grads[0] is None)

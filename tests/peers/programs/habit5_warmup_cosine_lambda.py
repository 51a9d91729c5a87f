import math

import torch
from torch.optim.lr_scheduler import LambdaLR, _LRScheduler


def get_cosine_schedule_with_warmup(
    optimizer, num_warmup_steps, num_training_steps, num_cycles=0.5, last_epoch=-1
):
    def lr_lambda(current_step):
        if current_step < num_warmup_steps:
            return float(current_step) / float(max(1, num_warmup_steps))
        progress = float(current_step - num_warmup_steps) / float(
            max(1, num_training_steps - num_warmup_steps)
        )
        return max(0.0, 0.5 * (1.0 + math.cos(math.pi * float(num_cycles) * 2.0 * progress)))

    return LambdaLR(optimizer, lr_lambda, last_epoch)


class NoamLR(_LRScheduler):
    def __init__(self, optimizer, d_model, warmup, last_epoch=-1):
        self.d_model, self.warmup = d_model, warmup
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step = max(1, self._step_count)
        scale = self.d_model**-0.5 * min(step**-0.5, step * self.warmup**-1.5)
        return [base_lr * scale for base_lr in self.base_lrs]


w = torch.nn.Parameter(torch.ones(2))
b = torch.nn.Parameter(torch.zeros(1))
opt = torch.optim.AdamW(
    [{"params": [w], "weight_decay": 0.1}, {"params": [b], "weight_decay": 0.0, "lr": 0.5}], lr=0.1
)
sched = get_cosine_schedule_with_warmup(opt, 3, 10)
for step in range(10):
    ((w * 2 - 1) ** 2).sum().add(b.sum() ** 2).backward()
    opt.step()
    opt.zero_grad()
    sched.step()
    print(step, ["%.4f" % lr for lr in sched.get_last_lr()])
print(sched.state_dict()["last_epoch"], [g["initial_lr"] for g in opt.param_groups])
opt2 = torch.optim.SGD([w], lr=1.0)
noam = NoamLR(opt2, 16, 4)
lrs = []
for _ in range(8):
    opt2.step()
    noam.step()
    lrs.append(round(opt2.param_groups[0]["lr"], 5))
print(lrs)
chained = torch.optim.lr_scheduler.ChainedScheduler(
    [
        torch.optim.lr_scheduler.ExponentialLR(torch.optim.SGD([w], lr=1.0), 0.9),
    ]
)
chained.step()
print(chained.get_last_lr())

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)


class AverageMeter(object):
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


model = nn.Linear(2, 1, bias=False)
nn.init.constant_(model.weight, 1.0)
ema, best = EMA(model, 0.9), copy.deepcopy(model)
meter = AverageMeter()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for i in range(4):
    opt.zero_grad(set_to_none=True)
    loss = model(torch.tensor([[1.0, float(i)]])).pow(2).mean()
    loss.backward()
    opt.step()
    ema.update(model)
    meter.update(loss.item(), 2)
print(ema.shadow, best.weight, meter.avg)
target = copy.deepcopy(model)
tau = 0.5
for tp, p in zip(target.parameters(), best.parameters()):
    tp.data.copy_(tau * p.data + (1.0 - tau) * tp.data)
print(target.weight)
swa = torch.optim.swa_utils.AveragedModel(model)
swa.update_parameters(model)
print(swa.n_averaged, torch.allclose(swa.module.weight, model.weight))

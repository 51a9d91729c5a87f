import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)
            else:
                self.shadow[k].copy_(v)

    def apply_to(self, model):
        model.load_state_dict(self.shadow)


model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
nn.init.eye_(model[0].weight)
nn.init.zeros_(model[0].bias)
ema = EMA(model)
teacher = copy.deepcopy(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]) + step
    loss = (model(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(model)
    for tp, sp in zip(teacher.parameters(), model.parameters()):
        tp.data.lerp_(sp.data, 0.1)
ema.apply_to(teacher)
for k, v in ema.shadow.items():
    print(k, v.round(decimals=4) if v.is_floating_point() else v)
print(teacher[1].num_batches_tracked)

import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=2, lora_alpha=4, merge_weights=True, **kw):
        nn.Linear.__init__(self, in_features, out_features, **kw)
        self.r, self.merged, self.merge_weights = r, False, merge_weights
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
        self.scaling = lora_alpha / r
        self.weight.requires_grad = False
        self.reset_parameters()

    def reset_parameters(self):
        nn.Linear.reset_parameters(self)
        if hasattr(self, "lora_A"):
            nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
            nn.init.zeros_(self.lora_B)

    def train(self, mode: bool = True):
        nn.Linear.train(self, mode)
        if mode and self.merged:
            self.weight.data -= self.lora_B @ self.lora_A * self.scaling
            self.merged = False
        elif not mode and self.merge_weights and not self.merged:
            self.weight.data += self.lora_B @ self.lora_A * self.scaling
            self.merged = True
        return self

    def forward(self, x):
        out = nn.functional.linear(x, self.weight, self.bias)
        if self.merged:
            return out
        return out + (x @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)) * self.scaling


m = LoRALinear(3, 4, bias=False)
print(
    m,
    sum(p.numel() for p in m.parameters() if p.requires_grad),
    [n for n, _ in m.named_parameters()],
)
with torch.no_grad():
    m.weight.copy_(torch.arange(12.0).view(4, 3) / 10)
    m.lora_A.fill_(0.5)
    m.lora_B.copy_(torch.tensor([[1.0, -1.0], [0.5, 0.5], [0.0, 1.0], [2.0, 0.0]]))
x = torch.tensor([[1.0, 2.0, 3.0]])
a = m(x)
b = m.eval()(x)
c = m.train()(x)
print(a, torch.allclose(a, b), torch.allclose(a, c), m.merged)


class LoRAParam(nn.Module):
    def __init__(self, i, o, rank=1, alpha=1):
        super().__init__()
        self.A = nn.Parameter(torch.ones(rank, o))
        self.B = nn.Parameter(torch.full((i, rank), 0.1))
        self.scale = alpha / rank
        self.enabled = True

    def forward(self, W):
        return W + torch.matmul(self.B, self.A).view(W.shape) * self.scale if self.enabled else W


net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
for p in net.parameters():
    nn.init.ones_(p)
for layer in net:
    if isinstance(layer, nn.Linear):
        o, i = layer.weight.shape
        parametrize.register_parametrization(layer, "weight", LoRAParam(o, i))
print(net)
print(net(torch.ones(1, 2)), [n for n, p in net.named_parameters() if "parametrizations" in n])
for n, p in net.named_parameters():
    p.requires_grad_("A" in n.split(".")[-1] or "B" in n.split(".")[-1])
net(torch.ones(1, 2)).sum().backward()
print({n: p.grad.norm().item() if p.grad is not None else None for n, p in net.named_parameters()})
net[0].parametrizations["weight"][0].enabled = False
print(net(torch.ones(1, 2)), net[0].parametrizations.weight.original.shape)


def wrap(model, r):
    for name, mod in list(model.named_modules()):
        if type(mod) is nn.Linear:
            parent = model.get_submodule(name.rpartition(".")[0])
            new = LoRALinear(mod.in_features, mod.out_features, r, bias=mod.bias is not None)
            new.load_state_dict(mod.state_dict(), strict=False)
            setattr(parent, name.rpartition(".")[2], new)
    return model


enc = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
wrap(enc, 1)
print(
    [type(q).__name__ for q in enc.children()],
    sum(p.requires_grad for p in enc.parameters()),
    enc.linear1,
)
lora_sd = {k: v for k, v in enc.state_dict().items() if "lora_" in k}
print({k: tuple(v.shape) for k, v in lora_sd.items()})

import copy
from collections import OrderedDict
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn


class Swish(nn.Module):
    __constants__ = ["beta"]

    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta

    def forward(self, x):
        return x * torch.sigmoid(self.beta * x)

    def extra_repr(self):
        return "beta={}".format(self.beta)


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=2, alpha=4):
        super().__init__()
        self.base, self.scaling = base, alpha / r
        self.base.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.linspace(-0.1, 0.1, r * base.in_features).view(r, -1))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + (x @ self.lora_A.T @ self.lora_B.T) * self.scaling

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.scaling * self.lora_B @ self.lora_A
        return self.base


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(2, 4, 3, padding="same"), nn.GroupNorm(2, 4), nn.ReLU6(inplace=True)
        )
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.heads = nn.ModuleDict({"cls": nn.Linear(4, 3), "reg": nn.Linear(4, 1, bias=False)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for i in range(2)])
        self.register_parameter("unused", None)
        self.register_buffer("steps", torch.tensor(0))
        self.drop = nn.Dropout(0.0)

    def forward(self, x, head="cls"):
        self.steps += 1
        x = self.stem(x).mean(-1)
        for b, s in zip(self.blocks, self.scales):
            x = x + s * F.relu(b(x))
        return self.heads[head](self.drop(x))


net = Net()
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.1 * (i % 4 + 1))
print(net)
x = torch.arange(12.0).view(1, 2, 6) / 12
print(net(x), net(x, head="reg"), net.steps)
print([n for n, _ in net.named_parameters()])
print(
    [n for n, m in net.named_modules() if isinstance(m, nn.Linear)],
    len(list(net.modules())),
    len(list(net.children())),
)
print(
    net.get_submodule("heads.cls"),
    net.get_parameter("blocks.0.weight").shape,
    "reg" in net.heads,
    net.heads.keys(),
)


def replace_modules(model, cls, make):
    for name, child in model.named_children():
        if isinstance(child, cls):
            setattr(model, name, make(child))
        else:
            replace_modules(child, cls, make)


before = net(x)
replace_modules(net, nn.ReLU6, lambda m: Swish(1.5))
replace_modules(net.blocks, nn.Linear, LoRALinear)
print(net.stem[2], net.blocks[0])
print(
    sum(p.numel() for p in net.parameters() if p.requires_grad),
    sum(p.numel() for p in net.parameters()),
)
net.blocks[0].lora_B.data.fill_(0.5)
y1 = net(x)
net.blocks[0] = net.blocks[0].merge()
print(torch.allclose(y1, net(x), atol=1e-6), y1.shape)
net.blocks.append(nn.Identity())
net.heads["aux"] = nn.Linear(4, 2)
del net.heads["reg"]
print(list(net.heads), len(net.blocks), net.blocks[-1], hasattr(net, "nope"))
shared = nn.Linear(3, 3)
tied = nn.Sequential(OrderedDict(a=shared, act=nn.Tanh(), b=shared))
print(
    len(list(tied.parameters())),
    len(tied.state_dict()),
    tied.a is tied.b,
    tied[:2],
    list(tied._modules),
)
clone = copy.deepcopy(tied)
clone.a.weight.data.zero_()
print((clone.b.weight == 0).all().item(), (shared.weight == 0).any().item(), clone.a is clone.b)
tied.add_module("extra", nn.Flatten())
print(list(tied._modules), tied[-1])
tied = nn.Sequential(*tied)
tied.insert(0, nn.Softmax(dim=-1))
tied.append(nn.Sigmoid())
tied.pop(-2)
print(
    [type(m).__name__ for m in tied],
    tied.training,
    tied.eval().training,
    tied.apply(lambda m: None) is tied,
)
for m in [
    nn.MultiheadAttention(8, 2),
    nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0).self_attn,
    nn.Bilinear(2, 3, 4),
    nn.PReLU(),
    nn.LeakyReLU(0.2),
    nn.ELU(),
    nn.Hardtanh(),
    nn.Upsample(scale_factor=2, mode="nearest"),
    nn.ConvTranspose1d(1, 2, 3, stride=2, output_padding=1),
    nn.MaxPool2d(3, 2, 1),
    nn.AvgPool2d(2),
    nn.AdaptiveAvgPool2d((None, 4)),
    nn.Conv2d(4, 8, (3, 1), groups=2, dilation=2, padding_mode="reflect"),
    nn.LayerNorm([4, 4], elementwise_affine=False),
    nn.InstanceNorm2d(3),
    nn.PixelShuffle(2),
    nn.ZeroPad2d(1),
    nn.CosineSimilarity(),
    nn.Softplus(),
    nn.LocalResponseNorm(2),
    nn.Unflatten(1, (2, 3)),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.GRU(3, 4, num_layers=2, dropout=0.5),
    nn.RMSNorm(4),
][2:]:
    print(m, end=" " if len(repr(m)) < 55 else "\n")
print()
Conv = partial(nn.Conv2d, kernel_size=1, bias=False)
print(
    Conv(2, 3),
    nn.utils.skip_init(nn.Linear, 2, 2),
    nn.Linear(2, 2, dtype=torch.float64).weight.dtype,
)
net.zero_grad()
print(
    net.float() is net,
    net.double().steps.dtype,
    net.heads["cls"].weight.dtype,
    net._get_name(),
    next(net.buffers()),
)

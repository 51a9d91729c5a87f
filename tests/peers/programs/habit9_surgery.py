from collections import OrderedDict

import torch
import torch.nn as nn

net = nn.Sequential(
    OrderedDict(
        [
            ("conv1", nn.Conv2d(1, 20, 5)),
            ("relu1", nn.ReLU()),
            (
                "conv2",
                nn.Conv2d(
                    20,
                    64,
                    5,
                    stride=(2, 1),
                    padding=(4, 2),
                    dilation=(3, 1),
                    groups=4,
                    padding_mode="reflect",
                ),
            ),
            ("relu2", nn.ReLU()),
        ]
    )
)
print(net)
net.add_module("pool", nn.MaxPool2d(3, stride=2, ceil_mode=True, return_indices=False))
net.append(nn.Flatten())
net.extend([nn.LazyLinear(10), nn.Softmax(dim=1)])
print(net)
print(net[0], net[-1], net[1:3], net.conv1 is net[1], len(net))
del net[0]
net[1] = nn.LeakyReLU(0.1)
print([n for n, _ in net.named_children()])
print([n for n, _ in net.named_children()], net[-1])
print([type(m).__name__ for m in net.modules()])
print(nn.Sequential(nn.Linear(1, 2)) + nn.Sequential(nn.Tanh()), nn.Sequential(nn.ReLU()) * 2)
for name, m in nn.ModuleDict(
    {
        "a": nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 4)]),
        "b": nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(3, 1)]),
    }
).named_modules():
    print(repr(name), "->", m)
md = nn.ModuleDict([["lrelu", nn.LeakyReLU()], ["prelu", nn.PReLU(3)]])
md["new"] = nn.ELU()
print(md, list(md.keys()), "new" in md, len(md))
md.pop("prelu")
print(list(md.items()))
pd = nn.ParameterDict({"left": nn.Parameter(torch.randn(5, 10)), "right": torch.zeros(2)})
print(pd, type(pd["right"]))


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.register_parameter("scale", None)
        self.register_buffer("mean", torch.tensor([1.0, 2.0]), persistent=False)
        self.w = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.blocks = nn.ModuleList(
            [nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1)) for _ in range(3)]
        )

    def extra_repr(self):
        return "k=3, note=x"


m = M()
print(m, m.scale, list(m.state_dict()), dict(m.named_buffers()))
for layer in m.modules():
    if isinstance(layer, nn.Dropout):
        layer.p = 0.3


def freeze(mod):
    for p in mod.parameters():
        p.requires_grad_(False)


m.blocks[0].apply(freeze)
print([(n, p.requires_grad) for n, p in m.named_parameters()])
m.train()
m.blocks[1].eval()
print([b.training for b in m.blocks], m.training, m.blocks[1][1].training)


def replace(mod, old, new):
    for n, c in mod.named_children():
        if isinstance(c, old):
            setattr(mod, n, new())
        else:
            replace(c, old, new)


replace(m, nn.Dropout, nn.Identity)
print(m.blocks)
m.a = nn.Linear(2, 5)
m.a.bias = None
print(m.a, list(m.a.parameters())[0].shape)
for bad in (
    lambda: setattr(m, "a", 3),
    lambda: m.register_buffer("a", torch.zeros(1)),
    lambda: m.nothing,
    lambda: m.add_module("x.y", nn.ReLU()),
    lambda: m.register_parameter("q", torch.zeros(1)),
    lambda: setattr(m, "w", torch.zeros(1)),
    lambda: nn.Sequential(nn.ReLU())[3],
    lambda: nn.ModuleList([1]),
    lambda: md["zzz"],
    lambda: m.get_submodule("a.b"),
    lambda: nn.Module()(1),
    lambda: nn.Linear(2, 3)(torch.zeros(1, 3)),
    lambda: nn.Conv2d(3, 4, 3, groups=2),
    lambda: nn.Sequential(nn.ReLU),
):
    try:
        bad()
        print("fine")
    except Exception as e:
        print("refused")
print(
    nn.Linear(3, 4, device="cpu", dtype=torch.float64).weight.dtype,
    nn.LazyConv2d(8, 3),
    nn.LazyBatchNorm1d(),
)
z = nn.LazyLinear(3)
print(z.weight, z.has_uninitialized_params())
z(torch.zeros(2, 7))
print(z, z.weight.shape)
print(
    m.requires_grad_(False) is m,
    any((p.requires_grad for p in m.parameters())),
    m._get_name(),
    m.zero_grad(),
)
print([*nn.Sequential(nn.Linear(1, 1), nn.ReLU()).children()], m.__class__, dir(m)[-1] is not None)
l = nn.ModuleList([nn.Linear(1, 1)])
l += [nn.ReLU()]
l.insert(1, nn.Tanh())
print(l, l[-1], l[:2], len(l[1:]))
print(nn.ModuleList([nn.Linear(4, 4) for _ in range(12)]), nn.Sequential())

import torch
import torch.nn as nn
from torch.nn import functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Mixture(nn.Module):
    def __init__(self, kinds=("relu", "tanh")):
        super().__init__()
        self.choices = nn.ModuleDict({"conv": nn.Conv1d(2, 2, 1), "pool": nn.MaxPool1d(2)})
        self.activations = nn.ModuleDict([["relu", nn.ReLU()], ["tanh", nn.Tanh()]])
        self.weights = nn.ParameterList(
            [nn.Parameter(torch.full((2,), float(i))) for i in range(3)]
        )
        self.scales = nn.ParameterDict(
            {"left": nn.Parameter(torch.ones(1)), "right": nn.Parameter(torch.zeros(2, 2))}
        )
        self.experts = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))

    def forward(self, x, choice, act):
        x = self.activations[act](self.choices[choice](x))
        for i, w in enumerate(self.weights):
            x = x + self.weights[i // 2].view(1, 2, 1) * w.view(1, 2, 1)
        return x * self.scales["left"]


m = fixed(Mixture())
print(m)
print(m(torch.ones(1, 2, 4), "pool", "tanh"))
print(
    list(m.choices.keys()),
    "conv" in m.choices,
    len(m.activations),
    [type(v).__name__ for v in m.activations.values()],
)
m.choices["new"] = nn.Linear(2, 2)
m.choices.update({"other": nn.Identity()})
del m.choices["pool"]
print(list(m.choices), m.choices.pop("other"), [k for k, _ in m.choices.items()])
m.experts.append(nn.Linear(2, 3)).extend([nn.ReLU()])
m.experts.insert(0, nn.Flatten())
print(len(m.experts), m.experts[-1], m.experts[1:3], m.experts[0:1][0])
m.experts[0] = nn.Dropout(0.2)
del m.experts[-1]
print(m.experts)
m.weights.append(torch.ones(1))
print(len(m.weights), m.weights[-1], m.weights)
print(m.scales, list(m.scales.keys()), m.scales["right"].shape)
s = nn.Sequential()
s.add_module("first", nn.Linear(2, 4))
s.append(nn.ReLU())
s.insert(1, nn.Tanh())
print(s, len(s), s.first, s[-1], s[:2])
s2 = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
s2[1] = nn.Identity()
print(s2 + nn.Sequential(nn.ReLU()), [type(c).__name__ for c in s2])
print([n for n, _ in m.named_parameters()])
print([n for n, _ in m.named_modules()][:5], [n for n, _ in m.named_children()])
print(
    [n for n, _ in nn.BatchNorm1d(2).named_buffers()],
    m.get_submodule("choices.conv"),
    m.get_parameter("scales.left"),
)
for name, module in m.named_modules():
    if isinstance(module, nn.Linear):
        print(name, module.weight.shape, module)
shared = nn.Linear(2, 2)
tied = nn.Sequential(shared, nn.ReLU(), shared)
print(
    len(list(tied.parameters())),
    len(list(tied.named_parameters(remove_duplicate=False))),
    len(list(tied.modules())),
)
print(
    m.weights[0] is list(m.parameters())[0],
    hasattr(m, "experts"),
    m._get_name(),
    m.extra_repr() == "",
)
m.apply(
    lambda mod: (
        nn.init.constant_(mod.weight, 0.5)
        if hasattr(mod, "weight") and mod.weight is not None
        else None
    )
)
print(m.experts[1].weight, sum(1 for _ in m.modules()))
m.requires_grad_(False).double().eval()
print({p.requires_grad for p in m.parameters()}, {p.dtype for p in m.parameters()}, m.training)
print(
    nn.ParameterList([torch.ones(1), nn.Parameter(torch.zeros(2, 2))]),
    nn.ModuleList(),
    nn.ModuleDict(),
    nn.Sequential(),
)
delattr(m, "experts")
print(hasattr(m, "experts"), [n for n, _ in m.named_children()])
m.anything = nn.Parameter(torch.ones(1))
m.register_parameter("nothing", None)
m.plain = torch.ones(1)
print([n for n, _ in m.named_parameters()][-1], m.nothing, "plain" in m.state_dict())
try:
    m.anything = torch.ones(1)
except TypeError as e:
    print("cannot assign")

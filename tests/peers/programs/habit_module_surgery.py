import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(n)])
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Linear(2, 3)})
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("steps", torch.tensor(0))
        self.register_parameter("nothing", None)

    def forward(self, x, head="a"):
        self.steps += 1
        for layer in self.layers:
            x = x + layer(x)
        return self.heads[head](x) * self.scale

    def extra_repr(self):
        return "by habit"


net = Block(2)
for p in net.parameters():
    nn.init.constant_(p, 0.5)
print(net(torch.ones(1, 2)), net(torch.ones(1, 2), head="b"), net.steps)
print(net)
print(list(net.state_dict()), [n for n, _ in net.named_modules()])
net.heads["a"] = nn.Identity()
print(net(torch.ones(1, 2)).shape, len(net.layers), "b" in net.heads, list(net.heads.keys()))
net.train(False)
print(
    net.training, net.layers[0].training, net.get_submodule("layers.0"), net.get_parameter("scale")
)
net.layers.append(nn.ReLU())
net.layers.extend([nn.Tanh()])
print(
    net.layers,
    hasattr(net, "missing"),
    net._get_name(),
    dict(net.named_parameters())["layers.1.bias"],
)
net.requires_grad_(False)
print(sum(p.requires_grad for p in net.parameters()), net.state_dict()["steps"])
pl = nn.ParameterList([nn.Parameter(torch.zeros(1)), nn.Parameter(torch.ones(1))])
print(
    len(pl),
    pl[1],
    nn.Parameter(torch.ones(2), requires_grad=False),
    isinstance(pl[0], torch.Tensor),
)

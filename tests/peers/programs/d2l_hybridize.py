"""d2l 12.1: symbolic programs, and networks that are compiled."""

import torch
from torch import nn


def add_():
    return """
def add(a, b):
    return a + b
"""


def fancy_func_():
    return """
def fancy_func(a, b, c, d):
    e = add(a, b)
    f = add(c, d)
    g = add(e, f)
    return g
"""


def evoke_():
    return add_() + fancy_func_() + "print(fancy_func(1, 2, 3, 4))"


prog = evoke_()
print(prog)
exec(compile(prog, "", "exec"))


def get_net():
    net = nn.Sequential(
        nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)
    )
    for p in net.parameters():
        nn.init.constant_(p, 0.01)
    return net


x = torch.ones(size=(1, 512))
net = get_net()
print(net(x))
script = torch.compile(net, disable=True)
print(script(x), script is not None)


@torch.compile(disable=True)
def step(a, b):
    return torch.tanh(a) * b + 1


print(step(x[0, :3], 2.0))
torch.save(net.state_dict(), "/tmp/my_mlp.params")
clone = get_net()
clone.load_state_dict(torch.load("/tmp/my_mlp.params", weights_only=True))
print(torch.equal(clone.eval()(x), net(x)))

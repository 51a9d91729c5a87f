import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, size):
        super(Scale, self).__init__()
        self.gain = nn.Parameter(torch.ones(size))
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, shift=0.0):
        self.calls += 1
        return x * self.gain + shift


class HuberLike(nn.Module):
    def forward(self, prediction, target):
        error = (prediction - target).abs()
        return torch.where(error < 1, 0.5 * error**2, error - 0.5).mean()


layer, criterion = Scale(3), HuberLike()
loss = criterion(layer(torch.tensor([1.0, 2.0, 3.0]), shift=0.5), torch.zeros(3))
loss.backward()
print(loss, layer.gain.grad, layer.calls, list(layer.state_dict()), layer, criterion)
layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
named = nn.ModuleDict({"in": nn.Linear(2, 2), "act": nn.ReLU()})
print(layers, named, len(list(layers.parameters())), named["act"], list(named))


class Forgot(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(1, 1)


try:
    Forgot()
except AttributeError:
    print("super().__init__() is missing")
try:
    layer.nothing
except AttributeError:
    print("no such attribute")

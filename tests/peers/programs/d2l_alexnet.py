"""d2l 7.1: AlexNet, with small images and few channels."""

import torch
from torch import nn


def set_weights(net):
    with torch.no_grad():
        for place, param in enumerate(net.parameters()):
            steps = torch.arange(param.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, param.numel() // param.shape[0]) ** 0.5
            param.copy_((torch.sin(steps * 0.7 + place) * spread).reshape(param.shape))


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


net = nn.Sequential(
    nn.Conv2d(1, 12, kernel_size=11, stride=4, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(kernel_size=3, stride=2),
    nn.Conv2d(12, 16, kernel_size=5, padding=2),
    nn.ReLU(),
    nn.MaxPool2d(kernel_size=3, stride=2),
    nn.Conv2d(16, 24, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(24, 24, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(24, 16, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(kernel_size=3, stride=2),
    nn.Flatten(),
    nn.Linear(16 * 5 * 5, 64),
    nn.ReLU(),
    nn.Dropout(p=0.5),
    nn.Linear(64, 64),
    nn.ReLU(),
    nn.Dropout(p=0.5),
    nn.Linear(64, 10),
)
set_weights(net)
print(net)
X = wave(1, 1, 224, 224)
for layer in net.eval():
    X = layer(X)
    print(layer.__class__.__name__, "output shape:\t", X.shape)
print(X)
X = nn.functional.cross_entropy(X, torch.tensor([3]))
X.backward()
print(net[0].weight.grad.abs().sum().item(), net[-1].bias.grad)

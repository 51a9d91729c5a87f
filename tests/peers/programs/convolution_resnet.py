"""Residual blocks with and without a 1x1 convolution, a small network of them, and its state."""

import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    """The Residual block of ResNet."""

    def __init__(self, input_channels, num_channels, use_1x1conv=False, strides=1):
        super().__init__()
        self.conv1 = nn.Conv2d(
            input_channels, num_channels, kernel_size=3, padding=1, stride=strides
        )
        self.conv2 = nn.Conv2d(num_channels, num_channels, kernel_size=3, padding=1)
        if use_1x1conv:
            self.conv3 = nn.Conv2d(input_channels, num_channels, kernel_size=1, stride=strides)
        else:
            self.conv3 = None

    def forward(self, X):
        Y = F.relu(self.conv1(X))
        Y = self.conv2(Y)
        if self.conv3:
            X = self.conv3(X)
        Y += X
        return F.relu(Y)


def resnet_block(input_channels, num_channels, num_residuals, first_block=False):
    blk = []
    for i in range(num_residuals):
        if i == 0 and not first_block:
            blk.append(Residual(input_channels, num_channels, use_1x1conv=True, strides=2))
        else:
            blk.append(Residual(num_channels, num_channels))
    return blk


def init_weights(m):
    if type(m) == nn.Linear or type(m) == nn.Conv2d:
        n = m.weight.numel()
        with torch.no_grad():
            m.weight.copy_(torch.sin(torch.arange(float(n))).reshape(m.weight.shape) * n**-0.5)
            nn.init.zeros_(m.bias)


X = torch.linspace(-1, 1, 4 * 3 * 6 * 6).reshape(4, 3, 6, 6)
blk = Residual(3, 3)
print(blk(X).shape)
blk = Residual(3, 6, use_1x1conv=True, strides=2)
print(blk(X).shape)
print(blk)

b1 = nn.Sequential(nn.Conv2d(1, 8, kernel_size=7, stride=2, padding=3), nn.ReLU())
b2 = nn.Sequential(*resnet_block(8, 8, 2, first_block=True))
b3 = nn.Sequential(*resnet_block(8, 16, 2))
net = nn.Sequential(b1, b2, b3, nn.Flatten(), nn.Linear(16 * 4 * 4, 10))
net.apply(init_weights)
X = torch.linspace(-1, 1, 6 * 16 * 16).reshape(6, 1, 16, 16).sin()
for layer in net:
    X = layer(X)
    print(layer.__class__.__name__, "output shape:\t", X.shape)
print(len(net.state_dict()), list(net.state_dict())[:6])

X = torch.linspace(-1, 1, 6 * 16 * 16).reshape(6, 1, 16, 16).sin()
y = torch.tensor([0, 1, 2, 0, 1, 2])
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
loss = nn.CrossEntropyLoss()
net.train()
for step in range(4):
    optimizer.zero_grad()
    l = loss(net(X), y)
    l.backward()
    optimizer.step()
    print(f"step {step} loss {l:.4f}")
net.eval()
with torch.no_grad():
    print(net(X).argmax(dim=1).tolist())
print("parameters:", sum(p.numel() for p in net.parameters() if p.requires_grad))

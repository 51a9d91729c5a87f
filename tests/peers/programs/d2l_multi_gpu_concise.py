"""d2l 12.6: nn.DataParallel."""

import torch
from torch import nn
from torch.nn import functional as F


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


class Residual(nn.Module):
    def __init__(self, in_channels, out_channels, strides=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1, stride=strides)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv3 = nn.Conv2d(in_channels, out_channels, 1, stride=strides)

    def forward(self, X):
        return F.relu(self.bn1(self.conv1(X)) + self.conv3(X))


def resnet18(num_classes, in_channels=1):
    net = nn.Sequential(
        nn.Conv2d(in_channels, 4, kernel_size=3, stride=1, padding=1), nn.BatchNorm2d(4), nn.ReLU()
    )
    net.add_module("resnet_block1", Residual(4, 8, 2))
    net.add_module("resnet_block2", Residual(8, 8, 2))
    net.add_module("global_avg_pool", nn.AdaptiveAvgPool2d((1, 1)))
    net.add_module("fc", nn.Sequential(nn.Flatten(), nn.Linear(8, num_classes)))
    return net


net = resnet18(10)
set_weights(net)
devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]


def init_weights(m):
    if type(m) in [nn.Linear, nn.Conv2d]:
        nn.init.normal_(m.weight, std=0.01)


net.apply(init_weights)
set_weights(net)
net.eval()
net = nn.DataParallel(net, device_ids=devices)
trainer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = nn.CrossEntropyLoss()
home = devices[0] if devices else torch.device("cpu")
net.to(home)
X, y = wave(4, 1, 12, 12), torch.tensor([1, 2, 3, 4])
for epoch in range(2):
    trainer.zero_grad()
    X, y = X.to(home), y.to(home)
    l = loss(net(X), y)
    l.backward()
    trainer.step()
    print(f"{l.item():.4f}")
print(list(net.state_dict())[:2], net.module.fc[1].weight.shape)
print(len(list(net.module.named_children())))

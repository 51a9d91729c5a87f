"""d2l 7.5: nn.BatchNorm2d, and its moving statistics."""

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
    nn.Conv2d(1, 6, kernel_size=5),
    nn.BatchNorm2d(6),
    nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Conv2d(6, 8, kernel_size=3),
    nn.BatchNorm2d(8),
    nn.Sigmoid(),
    nn.Flatten(),
    nn.Linear(8 * 2 * 2, 12),
    nn.BatchNorm1d(12),
    nn.Sigmoid(),
    nn.Linear(12, 3),
)
set_weights(net)
X, y = wave(8, 1, 12, 12), torch.arange(8) % 3
trainer = torch.optim.SGD(net.parameters(), lr=0.5)
loss = nn.CrossEntropyLoss()
for epoch in range(4):
    trainer.zero_grad()
    l = loss(net(X), y)
    l.backward()
    trainer.step()
    print(f"loss {l.item():.4f}")
print(net[1].weight.reshape((-1,)), net[1].bias)
print(net[1].running_mean, net[1].running_var, net[1].num_batches_tracked)
net.eval()
print(net(X[:2]))
for name, value in net.named_buffers():
    print(name, value.shape)
sync = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(3), nn.ReLU()))
print(sync)

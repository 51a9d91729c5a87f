"""LeNet: two convolutions and three linear layers, trained for some steps."""

import torch
import torch.nn.functional as F
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5, stride=2)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = torch.sigmoid(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def set_weights(net):
    with torch.no_grad():
        for place, parameter in enumerate(net.parameters()):
            steps = torch.arange(parameter.numel(), dtype=torch.float32)
            spread = 1.0 / max(1, parameter[0].numel()) ** 0.5
            values = torch.sin(steps * 0.7 + place) * spread
            parameter.copy_(values.reshape(parameter.shape))


net = LeNet()
print(net)
set_weights(net)
print(sum(p.numel() for p in net.parameters()))
for name, value in net.state_dict().items():
    print(name, tuple(value.shape))

images = torch.cos(torch.arange(8 * 1 * 14 * 14).float() * 0.37).reshape(8, 1, 14, 14)
labels = torch.tensor([0, 1, 2, 3, 4, 5, 6, 7])

x = images
for layer in (net.conv1, net.conv2):
    x = layer(x)
    print(layer.__class__.__name__, "output shape:", tuple(x.shape))
print(F.conv2d(images[0], net.conv1.weight, stride=3).shape)

criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(5):
    optimizer.zero_grad()
    outputs = net(images)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}, loss {loss.item():.4f}")
print(round(net.conv1.weight.grad.abs().sum().item(), 3))
print(round(net.conv2.bias.grad.abs().sum().item(), 3))

try:
    net.conv1(torch.zeros(2, 3, 14, 14))
except RuntimeError:
    print("RuntimeError")

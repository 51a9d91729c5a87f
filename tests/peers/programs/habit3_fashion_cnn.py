import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 3, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.fc1 = nn.Linear(4 * 3 * 3, 10)
        self.dropout = nn.Dropout(0.25)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.bn(self.conv2(x))))
        x = torch.flatten(x, 1)
        return self.fc1(self.dropout(x))


net = Net()
print(net)
for i, p in enumerate(net.parameters()):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float) * 0.9 + i).view_as(p) * 0.3
images = torch.cos(torch.arange(4 * 14 * 14.0)).view(4, 1, 14, 14)
labels = torch.tensor([0, 3, 5, 9])
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
net.eval()
running_loss = 0.0
for epoch in range(3):
    optimizer.zero_grad()
    outputs = net(images)
    loss = nn.CrossEntropyLoss()(outputs, labels)
    loss.backward()
    optimizer.step()
    running_loss += loss.item() * images.size(0)
    print(f"epoch {epoch + 1}: {loss.item():.4f}")
_, predicted = torch.max(outputs.data, 1)
print(predicted, (predicted == labels).sum().item(), running_loss / 12)
print(
    sum(p.numel() for p in net.parameters() if p.requires_grad), net.conv1.weight.grad.abs().sum()
)
total = {n: p.numel() for n, p in net.named_parameters()}
print(total)

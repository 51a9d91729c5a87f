import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.conv2 = nn.Conv2d(4, 8, kernel_size=3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.dropout1 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(8 * 3 * 3, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = self.dropout1(F.relu(self.bn(self.conv2(x))))
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc1(x), dim=1)


def num_flat_features(x):
    num_features = 1
    for s in x.size()[1:]:
        num_features *= s
    return num_features


net = Net()
for i, p in enumerate(net.parameters()):
    p.data = torch.cos(torch.arange(p.numel()).float() + i).view(p.shape) * 0.2
net.eval()
images = torch.sin(torch.arange(2 * 64.0)).view(2, 1, 8, 8)
with torch.no_grad():
    output = net(images)
pred = output.argmax(dim=1, keepdim=True)
target = torch.tensor([3, 7])
print(output, pred.shape, num_flat_features(images))
print(
    "Average loss: {:.4f}, Accuracy: {}/{} ({:.0f}%)".format(
        F.nll_loss(output, target, reduction="sum").item() / 2,
        pred.eq(target.view_as(pred)).sum().item(),
        2,
        0.0,
    )
)
print(net)
for name, param in net.named_parameters():
    print(name, param.size())
print(
    torch.max(output.data, 1)[1],
    F.adaptive_avg_pool2d(images, 1).flatten(),
    F.interpolate(images, scale_factor=2).shape,
)

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable

torch.set_printoptions(sci_mode=False)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        # 1 input image channel, 6 output channels, 5x5 square convolution
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        # Max pooling over a (2, 2) window
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        # If the size is a square you can only specify a single number
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, self.num_flat_features(x))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x

    def num_flat_features(self, x):
        size = x.size()[1:]  # all dimensions except the batch dimension
        num_features = 1
        for s in size:
            num_features *= s
        return num_features


net = Net()
print(net)

params = list(net.parameters())
print(len(params))
print(params[0].size())  # conv1's .weight

for i, p in enumerate(net.parameters()):
    n = p.data.numel()
    fan = max(1, n // p.size(0))
    p.data.copy_((torch.sin(torch.arange(n).float() * (1.7 + 0.1 * i)) / fan**0.5).view_as(p))

input = Variable(torch.linspace(-1, 1, 32 * 32).view(1, 1, 32, 32))
out = net(input)
print(out)

net.zero_grad()
out.backward(torch.ones(1, 10))
print("conv1.bias.grad", net.conv1.bias.grad)

output = net(input)
target = torch.arange(1, 11).float().view(1, -1)
criterion = nn.MSELoss()
loss = criterion(output, target)
print("loss: %.4f" % loss.item())
print(type(loss.grad_fn).__name__)
print(type(loss.grad_fn.next_functions[0][0]).__name__)

net.zero_grad()
print("conv1.bias.grad before backward")
print(net.conv1.bias.grad)
loss.backward()
print("conv1.bias.grad after backward")
print(net.conv1.bias.grad)

learning_rate = 0.01
for f in net.parameters():
    f.data.sub_(f.grad.data * learning_rate)
print("after manual step: %.4f" % criterion(net(input), target).data)

# synthetic "CIFAR-like" loop
xs = torch.stack(
    [torch.sin(torch.arange(32 * 32).float() * (0.01 * (k + 1))).view(1, 32, 32) for k in range(20)]
)
ys = torch.LongTensor([k % 10 for k in range(20)])
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
print(optimizer)

for epoch in range(2):
    running_loss = 0.0
    for i in range(5):
        inputs, labels = Variable(xs[4 * i : 4 * i + 4]), Variable(ys[4 * i : 4 * i + 4])
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    print("[%d, %5d] loss: %.3f" % (epoch + 1, i + 1, running_loss / 5))
print("Finished Training")

correct = 0
total = 0
with torch.no_grad():
    outputs = net(xs)
    _, predicted = torch.max(outputs.data, 1)
    total += ys.size(0)
    correct += (predicted == ys).sum().item()
print("Accuracy: %d %%" % (100 * correct / total))
print([tuple(v.shape) for v in net.state_dict().values()])
torch.set_printoptions(profile="default")

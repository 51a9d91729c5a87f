import torch
from torch import nn, optim

net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
for p in net[0].parameters():
    p.requires_grad = False
print(
    sum(p.numel() for p in net.parameters()),
    sum(p.numel() for p in net.parameters() if p.requires_grad),
)
before = net[0].weight.clone()
optimizer = optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
net(torch.ones(1, 4)).sum().backward()
optimizer.step()
print(torch.equal(before, net[0].weight), net[0].weight.grad is None, net[2].bias.grad)
net.requires_grad_(True)
print(all(p.requires_grad for p in net.parameters()), net.zero_grad(), net[2].weight.grad)

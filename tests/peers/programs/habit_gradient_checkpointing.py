import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

layers = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(4)])
for p in layers.parameters():
    nn.init.constant_(p, 0.2)
x = torch.ones(2, 3, requires_grad=True)
out = checkpoint(layers, x, use_reentrant=False)
out.sum().backward()
print(out, x.grad)
x.grad = None
layers.zero_grad()
checkpoint_sequential(layers, 2, x, use_reentrant=False).sum().backward()
print(x.grad, layers[0][0].weight.grad)

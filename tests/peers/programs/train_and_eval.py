import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Dropout(0.5), nn.Identity())
x = torch.ones(1000)
net.train()
kept = (net(x) != 0).float().mean()
print(0.4 < kept < 0.6, set(net(x).tolist()) == {0.0, 2.0}, net.training, net[0].training)
net.eval()
print(torch.equal(net(x), x), net.training, net[0].training, net[0])
print(nn.functional.dropout(x, 0.5, training=False).equal(x))

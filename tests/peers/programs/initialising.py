import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0.01)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(100, 50), nn.ReLU(), nn.Linear(50, 10))
net.apply(init_weights)
limit = (6 / 150) ** 0.5
print(net[0].weight.abs().max() <= limit, net[0].bias[:3], net[0].weight.std() > limit / 3)
nn.init.normal_(net[2].weight, mean=0.0, std=0.02)
print(
    net[2].weight.std() < 0.03,
    nn.init.constant_(torch.empty(2), 0.3),
    nn.init.ones_(torch.empty(2)),
)
nn.init.kaiming_normal_(net[0].weight, nonlinearity="relu")
print(0.1 < net[0].weight.std() < 0.2, net[0].weight.requires_grad)
nn.init.kaiming_uniform_(net[0].weight, nonlinearity="relu")
nn.init.xavier_normal_(net[0].weight)
nn.init.uniform_(net[2].bias, -0.1, 0.1)
print(net[2].bias.abs().max() <= 0.1)

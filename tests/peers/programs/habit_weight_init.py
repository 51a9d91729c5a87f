import torch
from torch import nn


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        m.weight.data.fill_(1)
        nn.init.constant_(m.bias.data, 0)
    elif isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight, gain=nn.init.calculate_gain("relu"))
        m.bias.data.zero_()


net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2))
net.apply(weights_init)
print(
    net[0].weight.std() < 0.1,
    net[1].weight,
    net[3].bias,
    net[3].weight.abs().max() <= (2 * 6 / 10) ** 0.5,
)
w = torch.empty(3, 5)
nn.init.eye_(w)
print(w)
nn.init.orthogonal_(w)
print(torch.allclose(w @ w.t(), torch.eye(3), atol=1e-5))
nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="leaky_relu")
nn.init.trunc_normal_(w, std=0.02, a=-0.04, b=0.04)
print(
    w.abs().max() <= 0.04,
    nn.init.calculate_gain("tanh"),
    nn.init.dirac_(torch.empty(2, 2, 3))[:, :, 1],
)
for name, module in net.named_children():
    print(name, type(module).__name__, sum(p.numel() for p in module.parameters()))
for p in net.parameters():
    p.requires_grad = False
print([p.requires_grad for p in net.parameters()], any(p.requires_grad for p in net.parameters()))

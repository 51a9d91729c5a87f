import math

import torch
from torch import nn
from torch.nn import init

w = torch.empty(4, 3)
print(
    init.constant_(w, 0.3)[0],
    init.ones_(w).sum(),
    init.zeros_(w).sum(),
    init.eye_(w),
    init.dirac_(torch.empty(2, 2, 3))[0],
    init.calculate_gain("relu"),
    init.calculate_gain("leaky_relu", 0.2),
    init.calculate_gain("tanh"),
    init.calculate_gain("linear"),
    init.calculate_gain("selu"),
)
for f, kw in [
    (init.uniform_, dict(a=-1, b=1)),
    (init.normal_, dict(mean=0, std=2.0)),
    (init.xavier_uniform_, dict(gain=2.0)),
    (init.xavier_normal_, {}),
    (init.kaiming_uniform_, dict(a=math.sqrt(5))),
    (init.kaiming_normal_, dict(mode="fan_out", nonlinearity="relu")),
    (init.trunc_normal_, dict(std=0.02)),
    (init.orthogonal_, {}),
    (init.sparse_, dict(sparsity=0.5)),
]:
    big = torch.empty(200, 300)
    r = f(big, **kw)
    print(f.__name__, r is big, round(big.mean().abs().item(), 1), f"{big.std().item():.1f}")
o = init.orthogonal_(torch.empty(3, 5))
print(
    torch.allclose(o @ o.T, torch.eye(3), atol=1e-5),
    init._calculate_fan_in_and_fan_out(torch.empty(8, 4, 3, 3)),
    init._calculate_correct_fan(w, "fan_in"),
)
lin = nn.Linear(100, 10)
bound = 1 / math.sqrt(100)
print(
    lin.weight.abs().max() <= bound,
    lin.bias.abs().max() <= bound,
    lin.weight.shape,
    lin.bias.is_leaf,
)


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.normal_(m.weight, std=0.01)
        nn.init.zeros_(m.bias)
    elif isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        if m.bias is not None:
            nn.init.constant_(m.bias, 0)
    elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
        nn.init.constant_(m.weight, 1)
        nn.init.constant_(m.bias, 0)
    elif isinstance(m, nn.LSTM):
        for name, p in m.named_parameters():
            if "weight_ih" in name:
                nn.init.xavier_uniform_(p.data)
            elif "weight_hh" in name:
                nn.init.orthogonal_(p.data)
            elif "bias" in name:
                p.data.fill_(0)


net = nn.Sequential(
    nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.LazyLinear(4), nn.Linear(4, 2)
)
print(net[3], net[3].weight.__class__.__name__)
net(torch.ones(1, 1, 6, 6)) if False else net(torch.ones(2, 1, 6, 6))
print(net[3], net.apply(init_weights) is net, net[0].bias, net[4].bias, net[4].weight.std() < 0.05)
nn.LSTM(2, 3).apply(init_weights)
with torch.no_grad():
    net[4].weight.zero_()
    net[4].weight[0] = 1.0
    net[4].weight[:, 1].fill_(2)
    net[4].bias += 5
    net[4].bias.sub_(1).mul_(2)
print(net[4].weight, net[4].bias)
net[4].weight.data.uniform_(0.5, 0.5)
net[4].bias.data = torch.tensor([1.0, 2.0])
print(net[4](torch.ones(1, 4)), net[4].weight.requires_grad)
net[4].weight = nn.Parameter(torch.eye(2, 4))
print(net[4](torch.ones(1, 4)), [tuple(p.shape) for p in net.parameters()])
emb = nn.Embedding.from_pretrained(torch.arange(6.0).view(3, 2), freeze=True, padding_idx=0)
print(emb(torch.tensor([2, 0])), emb.weight.requires_grad, emb)
glove = torch.zeros(3, 2)
emb2 = nn.Embedding(3, 2)
emb2.weight.data.copy_(glove + 1)
emb2.weight.requires_grad = False
print(
    emb2.weight,
    nn.Embedding(4, 2, max_norm=1.0)(torch.tensor([1])).norm() <= 1.0001,
    nn.Embedding(2, 2, _weight=torch.eye(2)).weight,
)
x = torch.randn(512, 256)
for act, gain in [(torch.tanh, 5 / 3), (torch.relu, math.sqrt(2))]:
    h = x
    for _ in range(5):
        ww = torch.empty(256, 256)
        init.xavier_normal_(ww, gain=gain)
        h = act(h @ ww)
    print(act.__name__, 0.2 < h.std() < 2)
try:
    init.xavier_uniform_(torch.empty(3))
except ValueError as e:
    print(e)
try:
    init.dirac_(torch.empty(3, 3))
except ValueError as e:
    print(e)
m = nn.Linear(2, 2, device="cpu", dtype=torch.float64)
print(
    m.weight.dtype,
    nn.utils.skip_init(nn.Linear, 3, 2).weight.shape,
    nn.Linear(2, 0).weight.shape,
    m.to(torch.float).weight.dtype,
    m.weight.dtype,
)
m.reset_parameters()
torch.manual_seed(1)
a = nn.Linear(3, 3).weight
torch.manual_seed(1)
print(torch.equal(a, nn.Linear(3, 3).weight))

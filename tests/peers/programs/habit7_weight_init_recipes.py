import math

import torch
import torch.nn as nn
from torch.nn import init

torch.manual_seed(0)
w = torch.empty(4, 6)
for f, args in (
    (init.uniform_, (-1, 1)),
    (init.normal_, (0, 0.5)),
    (init.constant_, (0.3,)),
    (init.ones_, ()),
    (init.zeros_, ()),
    (init.eye_, ()),
):
    print(f.__name__, f(w, *args).shape, w.min() >= -3)
for gain in ("linear", "relu", "tanh", "sigmoid", "selu", "conv2d"):
    print(gain, round(init.calculate_gain(gain), 4))
print(init.calculate_gain("leaky_relu", 0.2))
bound = init.calculate_gain("relu") * math.sqrt(6 / 10)
print(init.xavier_uniform_(w, gain=init.calculate_gain("relu")).abs().max() <= bound)
print(
    init.xavier_normal_(w).std() < 1,
    init.kaiming_uniform_(w, a=math.sqrt(5)).abs().max() <= 1 / math.sqrt(6),
    init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu").shape,
)
print(
    init.trunc_normal_(w, std=0.02, a=-0.04, b=0.04).abs().max() <= 0.04,
    init.orthogonal_(w) is w,
    torch.allclose(w @ w.T, torch.eye(4), atol=1e-5),
)
print(
    init.sparse_(torch.empty(4, 3), sparsity=0.5).eq(0).sum(0), init.dirac_(torch.empty(2, 2, 3))[0]
)
print(init._calculate_fan_in_and_fan_out(torch.empty(8, 3, 5, 5)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.lstm = nn.LSTM(4, 5)
        self.fc = nn.Linear(5, 2)
        self.emb = nn.Embedding(4, 2, padding_idx=1)
        self._init_weights()

    def _init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif type(m) in {nn.Linear}:
                nn.init.xavier_uniform_(m.weight)
                m.bias.data.fill_(0.01)
            elif isinstance(m, nn.LSTM):
                for name, p in m.named_parameters():
                    if "weight_ih" in name:
                        nn.init.xavier_uniform_(p.data)
                    elif "weight_hh" in name:
                        nn.init.orthogonal_(p.data)
                    elif "bias" in name:
                        p.data.fill_(0)
                        n = p.size(0)
                        p.data[n // 4 : n // 2].fill_(1)


net = Net()
print(net.fc.bias, net.lstm.bias_ih_l0, net.bn.weight, net.emb.weight[1])
print(torch.allclose(net.lstm.weight_hh_l0.T @ net.lstm.weight_hh_l0, torch.eye(5), atol=1e-5))
conv = nn.Conv2d(1, 1, 3, bias=False)
conv.weight.data = torch.tensor([[[[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]]])
print(conv(torch.arange(16.0).view(1, 1, 4, 4)), conv.weight.requires_grad)
fc = nn.Linear(2, 1)
with torch.no_grad():
    fc.weight.copy_(torch.tensor([[1.0, 2.0]]))
    fc.bias.zero_()
    fc.weight[0, 0] = 5
print(fc(torch.ones(1, 2)), fc.weight)
fc.weight = nn.Parameter(torch.ones(1, 2))
print(list(fc.parameters()))
fc.reset_parameters()
print(fc.weight.abs().max() <= 1 / math.sqrt(2))
for name, p in net.named_parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
    else:
        nn.init.zeros_(p)
print(sum(p.abs().sum().item() == 0 for p in net.parameters()))
emb = nn.Embedding.from_pretrained(torch.eye(3), freeze=True)
print(emb.weight.requires_grad, emb(torch.tensor([2])), emb)
deep = nn.Sequential(*[l for _ in range(4) for l in (nn.Linear(32, 32), nn.ReLU())])
for m in deep:
    if isinstance(m, nn.Linear):
        nn.init.kaiming_uniform_(m.weight, nonlinearity="relu")
h = torch.randn(64, 32)
for m in deep:
    h = m(h)
print(0.1 < h.std() < 3)
try:
    init.xavier_uniform_(torch.empty(3))
except ValueError as e:
    print("fan needs two dimensions")

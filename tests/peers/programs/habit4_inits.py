import math

import torch
from torch import nn

torch.manual_seed(0)
w = torch.empty(64, 32)
for name, fn in [
    ("uniform", lambda t: nn.init.uniform_(t, -0.1, 0.1)),
    ("xavier_u", lambda t: nn.init.xavier_uniform_(t, gain=nn.init.calculate_gain("relu"))),
    ("kaiming_u", lambda t: nn.init.kaiming_uniform_(t, mode="fan_in", nonlinearity="relu")),
]:
    fn(w)
    print(
        name,
        w.abs().max().item()
        <= {
            "uniform": 0.1,
            "xavier_u": math.sqrt(2) * math.sqrt(6 / 96),
            "kaiming_u": math.sqrt(6 / 32) + 1e-6,
        }[name],
    )
nn.init.orthogonal_(w)
print(torch.allclose(w.T @ w, torch.eye(32), atol=1e-4))
nn.init.eye_(w)
print(w.sum(), nn.init.calculate_gain("leaky_relu", 0.2), nn.init.calculate_gain("tanh"))
c = torch.empty(3, 3, 3)
nn.init.dirac_(c)
print(c[0], c.sum())
nn.init.trunc_normal_(w, std=0.02, a=-0.04, b=0.04)
print(w.abs().max() <= 0.04, abs(w.mean().item()) < 0.01)
nn.init.sparse_(w, sparsity=0.5)
print((w == 0).sum(0)[0])
print(nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 5, 5)))
nn.init.xavier_normal_(w)
nn.init.kaiming_normal_(w, a=0.2, mode="fan_out")
print(w.std().item() < 1, nn.init.ones_(torch.empty(2)), nn.init.constant_(torch.empty(2), 0.3))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.bn = nn.BatchNorm1d(3)
        self.reset_parameters()

    def reset_parameters(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)
            elif isinstance(m, (nn.BatchNorm1d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)


n = Net()
print(n.fc.bias, n.bn.weight, n.fc.weight.std().item() < 0.1)
n.fc.reset_parameters()
print(n.fc.weight.abs().max().item() <= 1 / math.sqrt(3))

import math

import torch

x = torch.linspace(0, 1, 5, dtype=torch.float64).unsqueeze(1)
y = torch.sin(2 * math.pi * x).squeeze()
log_l = torch.zeros(1, dtype=torch.float64, requires_grad=True)
log_s = torch.full((1,), -2.0, dtype=torch.float64, requires_grad=True)


def kernel(a, b):
    return torch.exp(-0.5 * torch.cdist(a, b).pow(2) / torch.exp(log_l) ** 2)


def rbf(a, b):
    sq = (a**2).sum(1, keepdim=True) - 2 * a @ b.T + (b**2).sum(1)
    return torch.exp(-0.5 * sq.clamp(min=0) / torch.exp(log_l) ** 2)


opt = torch.optim.Adam([log_l, log_s], lr=0.1)
for i in range(15):
    K = rbf(x, x) + torch.exp(log_s) ** 2 * torch.eye(5, dtype=torch.float64)
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), L)
    nll = 0.5 * (y @ alpha.squeeze()) + L.diagonal().log().sum() + 2.5 * math.log(2 * math.pi)
    opt.zero_grad()
    nll.backward()
    opt.step()
    if i % 5 == 4:
        print(f"{nll.item():.4f} {log_l.exp().item():.4f} {log_s.exp().item():.4f}")
with torch.no_grad():
    xs = torch.tensor([[0.3], [0.7]], dtype=torch.float64)
    ks = kernel(xs, x)
    K = kernel(x, x) + log_s.exp() ** 2 * torch.eye(5).double()
    mu = ks @ torch.linalg.solve(K, y)
    v = torch.linalg.solve_triangular(torch.linalg.cholesky(K), ks.T, upper=False)
    print(mu, (1 - v.pow(2).sum(0)).clamp(min=0).sqrt(), torch.logdet(K))

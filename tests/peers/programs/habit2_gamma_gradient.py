import torch
from torch.distributions import Beta, Dirichlet, Exponential, Gamma, Laplace

torch.manual_seed(0)
a = torch.tensor([0.5, 2.0, 20.0], requires_grad=True)
s = Gamma(a, torch.ones(3)).rsample((20000,))
s.mean(0).sum().backward()
print([round(v, 1) for v in a.grad.tolist()])
r = torch.tensor(2.0, requires_grad=True)
Exponential(r).rsample((50000,)).mean().backward()
print(round(r.grad.item(), 1))
c = torch.tensor([3.0, 3.0], requires_grad=True)
d = Dirichlet(c).rsample((10,))
print(d.shape, torch.allclose(d.sum(-1), torch.ones(10)))
d.sum().backward()
print(c.grad.abs().max().item() < 1e-3)
b = Beta(torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)).rsample()
print(b.requires_grad, b.shape)

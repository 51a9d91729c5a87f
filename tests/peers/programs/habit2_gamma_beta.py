import torch
from torch.distributions import Beta, Dirichlet, Exponential, Gamma

g = Gamma(torch.tensor([2.0, 3.0]), torch.tensor([1.0, 0.5]))
print(g, g.mean, g.variance, g.mode)
print(g.log_prob(torch.tensor([1.0, 4.0])), g.entropy())
b = Beta(2.0, 5.0)
print(b, b.mean, b.variance, b.mode, b.log_prob(torch.tensor(0.3)), b.entropy())
print(b.concentration0, b.concentration1)
d = Dirichlet(torch.tensor([1.0, 2.0, 3.0]))
print(d, d.mean, d.variance, d.entropy(), d.log_prob(torch.tensor([0.2, 0.3, 0.5])))
e = Exponential(torch.tensor([1.0, 4.0]))
print(e.mean, e.mode, e.entropy(), e.log_prob(torch.tensor([0.5, 0.5])), e.cdf(torch.tensor(1.0)))
torch.manual_seed(0)
print(abs(g.sample((20000,)).mean(0)[0].item() - 2.0) < 0.1, round(d.sample().sum().item(), 3))

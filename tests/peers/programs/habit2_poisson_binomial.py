import torch
from torch.distributions import (
    Binomial,
    Geometric,
    Laplace,
    LogNormal,
    Multinomial,
    OneHotCategorical,
    Poisson,
)

p = Poisson(torch.tensor([1.0, 4.0]))
print(p, p.mean, p.variance, p.log_prob(torch.tensor([2.0, 3.0])))
b = Binomial(10, torch.tensor([0.2, 0.5]))
print(b, b.mean, b.variance, b.log_prob(torch.tensor([2.0, 5.0])))
print(LogNormal(0.0, 1.0).mean, LogNormal(0.0, 0.5).log_prob(torch.tensor(1.5)))
print(Laplace(0.0, 1.0).entropy(), Laplace(1.0, 2.0).log_prob(torch.tensor([0.0, 2.0])))
m = Multinomial(5, torch.tensor([0.2, 0.3, 0.5]))
print(m.log_prob(torch.tensor([1.0, 2.0, 2.0])), m.mean, m.sample().sum())
o = OneHotCategorical(torch.tensor([0.1, 0.9]))
print(o.event_shape, o.log_prob(torch.tensor([0.0, 1.0])), o.sample().sum())

import torch
from torch.distributions import Uniform

u = Uniform(0.0, 10.0)
print(u, u.mean, u.variance, u.stddev)
print(u.log_prob(torch.tensor(3.0)), u.entropy())
print(u.cdf(torch.tensor([2.5, 9.0])), u.icdf(torch.tensor([0.5])))
v = Uniform(torch.tensor([-1.0, 0.0]), torch.tensor([1.0, 4.0]))
print(v.sample().shape, v.support)
s = v.sample((1000,))
print(bool((s >= v.low).all()), bool((s < v.high).all()))
try:
    Uniform(2.0, 1.0)
except ValueError as e:
    print(str(e)[:30])
try:
    u.log_prob(torch.tensor(12.0))
except ValueError as e:
    print("outside")
print(Uniform(0.0, 1.0, validate_args=False).log_prob(torch.tensor(12.0)))

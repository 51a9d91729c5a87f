import torch
from torch.distributions import Cauchy, Geometric, Gumbel, HalfNormal, StudentT

x = torch.tensor([0.5, 1.5])
print(HalfNormal(1.0).log_prob(x), HalfNormal(2.0).mean)
print(StudentT(3.0).log_prob(x), StudentT(5.0, 1.0, 2.0).variance)
print(Cauchy(0.0, 1.0).log_prob(x), Cauchy(0.0, 1.0).cdf(x))
print(Geometric(0.3).log_prob(torch.tensor([0.0, 2.0])), Geometric(0.3).mean)
print(Gumbel(0.0, 1.0).log_prob(x), Gumbel(1.0, 2.0).mean)

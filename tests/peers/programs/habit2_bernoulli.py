import torch
from torch.distributions import Bernoulli

b = Bernoulli(probs=0.3)
print(b, b.mean, b.variance, b.mode)
print(b.log_prob(torch.tensor([0.0, 1.0])), b.entropy())
c = Bernoulli(logits=torch.tensor([0.0, 2.0, -1.0]))
print(c.probs, c.logits, c.entropy())
print(c.sample((2,)).shape, c.param_shape)
try:
    Bernoulli(probs=1.5)
except ValueError as e:
    print("ValueError")
try:
    Bernoulli(probs=0.5, logits=0.0)
except ValueError as e:
    print(e)
print(b.enumerate_support(), b.support)

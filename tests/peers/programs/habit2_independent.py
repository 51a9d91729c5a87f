import torch
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence

base = Normal(torch.zeros(2, 3), torch.ones(2, 3))
d = Independent(base, 1)
print(d)
print(d.batch_shape, d.event_shape)
print(d.log_prob(torch.zeros(2, 3)), d.entropy())
print(d.sample((4,)).shape, d.mean.shape)
e = Independent(Normal(torch.ones(2, 3), 2 * torch.ones(2, 3)), 1)
print(kl_divergence(d, e))
image = Independent(Bernoulli(logits=torch.zeros(4, 4)), 2)
print(image.log_prob(torch.ones(4, 4)), image.event_shape)
print(d.expand((5, 2)).batch_shape)

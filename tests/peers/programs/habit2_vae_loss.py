import torch
from torch.distributions import Normal, kl_divergence

mu = torch.tensor([[0.5, -0.2], [0.0, 1.0]], requires_grad=True)
logvar = torch.tensor([[0.1, 0.3], [-0.4, 0.0]], requires_grad=True)
posterior = Normal(mu, (0.5 * logvar).exp())
prior = Normal(torch.zeros_like(mu), torch.ones_like(mu))
kl = kl_divergence(posterior, prior)
by_hand = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp())
print(kl)
print(torch.allclose(kl, by_hand))
kl.sum().backward()
print(mu.grad, logvar.grad)
eps = posterior.rsample()
print(eps.shape, eps.grad_fn is not None)

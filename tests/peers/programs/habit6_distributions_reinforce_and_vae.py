import torch
from torch.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Independent,
    Laplace,
    LogNormal,
    MultivariateNormal,
    Normal,
    OneHotCategorical,
    Poisson,
    StudentT,
    Uniform,
    kl_divergence,
)

n = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
print(n, n.batch_shape, n.event_shape)
print(
    n.log_prob(torch.tensor([0.5, 0.5])),
    n.entropy(),
    n.cdf(torch.zeros(2)),
    n.icdf(torch.tensor([0.3, 0.7])),
)
print(n.mean, n.variance, n.stddev, n.rsample((3,)).shape, n.has_rsample)
m = Categorical(logits=torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]))
print(m.probs, m.log_prob(torch.tensor([2, 0])), m.entropy(), m.sample((4,)).shape)
print(
    kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)),
    kl_divergence(m, Categorical(torch.ones(2, 3))),
)
b = Bernoulli(probs=torch.tensor([0.2, 0.9]))
print(b.log_prob(torch.tensor([1.0, 0.0])), b.mean, b.variance, b.entropy())
ind = Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
print(ind.batch_shape, ind.event_shape, ind.log_prob(torch.zeros(2, 3)))
mvn = MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
print(mvn.log_prob(torch.tensor([1.0, -1.0])), mvn.entropy(), mvn.covariance_matrix)
for d in (
    Beta(2.0, 3.0),
    Gamma(2.0, 1.5),
    Exponential(0.7),
    Laplace(0.0, 1.0),
    LogNormal(0.0, 0.5),
    StudentT(5.0),
):
    print(type(d).__name__, d.log_prob(torch.tensor(0.4)), d.mean, d.variance)
print(Dirichlet(torch.tensor([1.0, 2.0, 3.0])).log_prob(torch.tensor([0.2, 0.3, 0.5])))
print(Poisson(torch.tensor([1.0, 4.0])).log_prob(torch.tensor([2.0, 2.0])))
print(Uniform(0.0, 4.0).log_prob(torch.tensor(1.0)), Uniform(-1.0, 1.0).entropy())
print(OneHotCategorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor([0.0, 1.0])))
mu = torch.zeros(3, requires_grad=True)
log_var = torch.zeros(3, requires_grad=True)
q = Normal(mu, (0.5 * log_var).exp())
kl = kl_divergence(q, Normal(0, 1)).sum()
kl.backward()
print(kl, mu.grad, log_var.grad)
probs = torch.tensor([0.1, 0.9], requires_grad=True)
policy = Categorical(probs)
loss = -policy.log_prob(torch.tensor(1)) * 2.0
loss.backward()
print(probs.grad)
try:
    Normal(torch.tensor(0.0), torch.tensor(-1.0))
except ValueError as e:
    print("ValueError")
print(n.expand((3, 2)).batch_shape)

import torch
from torch.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Laplace,
    Normal,
    Poisson,
    Uniform,
    kl_divergence,
)

t = torch.tensor
pairs = [
    (Normal(0.0, 1.0), Normal(1.0, 2.0)),
    (Bernoulli(0.3), Bernoulli(0.6)),
    (Categorical(t([0.2, 0.8])), Categorical(t([0.5, 0.5]))),
    (Exponential(1.0), Exponential(2.0)),
    (Gamma(2.0, 1.0), Gamma(3.0, 0.5)),
    (Beta(2.0, 3.0), Beta(1.0, 1.0)),
    (Dirichlet(t([1.0, 2.0])), Dirichlet(t([2.0, 2.0]))),
    (Laplace(0.0, 1.0), Laplace(1.0, 2.0)),
    (Poisson(2.0), Poisson(3.0)),
    (Uniform(0.0, 1.0), Uniform(-1.0, 2.0)),
]
for p, q in pairs:
    print(type(p).__name__, "%.4f" % kl_divergence(p, q).item())
try:
    kl_divergence(Normal(0.0, 1.0), Categorical(t([0.5, 0.5])))
except NotImplementedError as error:
    print("NotImplementedError", error)

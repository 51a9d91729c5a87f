import torch
from torch.distributions import Bernoulli, Categorical, Dirichlet, Gamma, Normal, Poisson


def attempt(make):
    try:
        print(make())
    except (ValueError, NotImplementedError) as error:
        print(isinstance(error, ValueError), (str(error).splitlines() or [""])[0])


attempt(lambda: Categorical())
attempt(lambda: Categorical(probs=torch.tensor(0.5)))
attempt(lambda: Normal(0.0, -1.0))
attempt(lambda: Dirichlet(torch.tensor(1.0)))
attempt(lambda: Bernoulli(0.5).log_prob(torch.tensor(0.5)))
attempt(lambda: Poisson(1.0).log_prob(torch.tensor(-1.0)))
attempt(lambda: Categorical(torch.tensor([0.5, 0.5])).rsample())
attempt(lambda: Categorical(torch.tensor([0.5, 0.5])).cdf(torch.tensor(1)))
attempt(lambda: Gamma(1.0, 1.0).log_prob(2.0))
attempt(lambda: Normal(torch.zeros(2), torch.ones(2)).log_prob(torch.zeros(3)))

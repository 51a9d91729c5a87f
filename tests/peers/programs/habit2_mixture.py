import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

mix = Categorical(torch.tensor([0.3, 0.7]))
comp = Normal(torch.tensor([-1.0, 2.0]), torch.tensor([0.5, 1.0]))
gmm = MixtureSameFamily(mix, comp)
print(gmm.log_prob(torch.tensor([-1.0, 0.0, 2.0])), gmm.mean, gmm.variance)
print(gmm.sample((3,)).shape, gmm.cdf(torch.tensor(0.0)))

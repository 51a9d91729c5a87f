import torch
from torch.distributions import Gamma, Normal

d = Normal(torch.tensor([0.0]), torch.tensor([[1.0], [2.0]]))
print(d.batch_shape, d.loc.shape, d.scale.shape)
e = Normal(0.0, 1.0).expand([3, 2])
print(e.batch_shape, e.log_prob(torch.zeros(3, 2)).shape, e.sample((4,)).shape)
print(d.has_rsample, d.has_enumerate_support)
print(Normal(0.0, 1.0).log_prob(torch.zeros(2, 3)).sum())
try:
    d.log_prob(torch.zeros(3, 4))
except ValueError as error:
    print("ValueError")
try:
    Normal(torch.zeros(2), torch.ones(3))
except RuntimeError as error:
    print("RuntimeError")
print(Normal(0, 1).loc.dtype)
print(Normal(torch.zeros(2, dtype=torch.float64), 1.0).sample().dtype)

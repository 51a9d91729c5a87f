import torch
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import (
    AffineTransform,
    ExpTransform,
    SigmoidTransform,
    TanhTransform,
)

d = TransformedDistribution(Normal(0.0, 1.0), [AffineTransform(loc=1.0, scale=2.0)])
print(
    d.log_prob(torch.tensor([0.0, 1.0, 3.0])),
    Normal(1.0, 2.0).log_prob(torch.tensor([0.0, 1.0, 3.0])),
)
squashed = TransformedDistribution(
    Normal(torch.zeros(2), torch.ones(2)), [TanhTransform(cache_size=1)]
)
a = squashed.rsample()
print(a.shape, bool((a.abs() < 1).all()), squashed.log_prob(a).shape)
t = ExpTransform()
x = torch.tensor([0.0, 1.0])
print(t(x), t.inv(t(x)), t.log_abs_det_jacobian(x, t(x)))
s = SigmoidTransform()
print(s(x), s.log_abs_det_jacobian(x, s(x)))
print(TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).cdf(torch.tensor(2.0)))

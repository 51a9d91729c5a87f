import torch
import torch.nn.functional as F
from torch.distributions import (
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedOneHotCategorical,
)

logits = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
d = OneHotCategoricalStraightThrough(logits=logits)
s = d.rsample()
print(s.sum().item(), s.requires_grad)
o = OneHotCategorical(logits=logits)
print(o.probs, o.entropy(), o.mode, o.variance)

import torch
import torch.nn.functional as F
from torch.distributions import Categorical

logits = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.2, 0.3]])
d = Categorical(logits=logits)
print(d)
print(d.probs)
print(d.logits)
print(d.entropy(), d.batch_shape, d.event_shape)
actions = torch.tensor([2, 0])
print(d.log_prob(actions))
print(Categorical(probs=torch.tensor([1.0, 1.0, 2.0])).probs)
print(Categorical(torch.tensor([0.25, 0.75])).log_prob(torch.tensor(1)))
a = d.sample()
print(a.shape, a.dtype, d.sample((4,)).shape)
print(d.mode, d.mean, d.enumerate_support())
torch.manual_seed(1)
counts = torch.bincount(
    Categorical(probs=torch.tensor([0.2, 0.3, 0.5])).sample((10000,)), minlength=3
)
print([round(c.item() / 10000, 1) for c in counts])
print(torch.allclose(d.log_prob(actions), -F.cross_entropy(logits, actions, reduction="none")))

import torch
from torch.distributions import Categorical

logits = torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]], requires_grad=True)
d = Categorical(logits=logits)
print(d.perplexity())
d.entropy().sum().backward()
print(logits.grad)
masked = logits.detach().masked_fill(torch.tensor([False, True, False]), float("-inf"))
print(Categorical(logits=masked).probs)

import torch
from torch import nn
from torch.distributions import Categorical, Normal

old = Normal(torch.tensor([0.0, 0.5]), torch.tensor([1.0, 0.8]))
mean = torch.tensor([0.1, 0.4], requires_grad=True)
log_std = torch.zeros(2, requires_grad=True)
new = Normal(mean, log_std.exp())
action = torch.tensor([[0.3, 0.2], [-0.5, 1.0]])
ratio = (new.log_prob(action).sum(-1) - old.log_prob(action).sum(-1)).exp()
advantage = torch.tensor([1.0, -0.5])
clipped = torch.clamp(ratio, 0.8, 1.2)
loss = -torch.min(ratio * advantage, clipped * advantage).mean() - 0.01 * new.entropy().sum()
loss.backward()
print(ratio, loss)
print(mean.grad, log_std.grad)

import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal

policy = nn.Linear(2, 3)
policy.weight.data = torch.tensor([[0.1, 0.2], [0.3, -0.1], [0.0, 0.5]])
policy.bias.data.zero_()
state = torch.tensor([1.0, -1.0])
probs = torch.softmax(policy(state), dim=-1)
m = Categorical(probs)
action = torch.tensor(1)
loss = -m.log_prob(action) * 2.0
loss.backward()
print(m.probs, m.entropy(), policy.weight.grad)
rewards, R, returns = [1.0, 0.0, 2.0], 0, []
for r in rewards[::-1]:
    R = r + 0.9 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
print((returns - returns.mean()) / (returns.std() + 1e-6))
dist = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
print(dist.log_prob(torch.tensor([0.5, 0.5])), dist.entropy(), dist.rsample().shape, dist.mean)
print(torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2, replacement=True))

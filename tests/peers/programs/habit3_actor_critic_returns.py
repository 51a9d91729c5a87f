import torch
from torch import nn
from torch.distributions import Categorical, Normal

rewards = [1.0, 0.0, 2.0, 1.0]
R, returns = 0, []
for r in rewards[::-1]:
    R = r + 0.9 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
print(returns, (returns - returns.mean()) / (returns.std() + 1e-8))
values = torch.tensor([0.5, 0.4, 0.3, 0.2, 0.0])
dones = torch.tensor([0.0, 0.0, 1.0, 0.0])
gae, adv = 0, torch.zeros(4)
for t in reversed(range(4)):
    delta = rewards[t] + 0.99 * values[t + 1] * (1 - dones[t]) - values[t]
    gae = delta + 0.99 * 0.95 * (1 - dones[t]) * gae
    adv[t] = gae
print(adv)
policy = nn.Linear(2, 3)
policy.weight.data = torch.tensor([[0.1, 0.2], [0.3, -0.1], [0.0, 0.5]])
policy.bias.data.zero_()
obs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, -0.5]])
actions = torch.tensor([0, 2, 1, 1])
dist = Categorical(logits=policy(obs))
logp = dist.log_prob(actions)
ratio = torch.exp(logp - logp.detach() + 0.1)
surr = torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv)
loss = -surr.mean() - 0.01 * dist.entropy().mean() + 0.5 * (values[:4] - returns).pow(2).mean()
loss.backward()
print(loss, policy.weight.grad, dist.sample().shape, dist.probs[0])
n = Normal(torch.zeros(2), torch.tensor([1.0, 2.0]))
print(
    n.log_prob(torch.ones(2)).sum(-1),
    n.entropy(),
    n.rsample((3,)).shape,
    n.mean,
    n.stddev,
    n.cdf(torch.zeros(2)),
)

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical, Normal

torch.manual_seed(543)


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.affine1 = nn.Linear(4, 8)
        self.action_head = nn.Linear(8, 2)
        self.value_head = nn.Linear(8, 1)
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
for p in model.parameters():
    nn.init.constant_(p, 0.2)
optimizer = optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps
for t in range(4):
    probs, state_value = model(torch.tensor([0.1, 0.2, 0.3, 0.4]) * t)
    m = Categorical(probs)
    action = torch.tensor(t % 2)
    model.saved_actions.append((m.log_prob(action), state_value))
    model.rewards.append(1.0)
    if t == 0:
        print(m, m.entropy(), m.probs)
R, returns = 0, []
for r in model.rewards[::-1]:
    R = r + 0.99 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
returns = (returns - returns.mean()) / (returns.std() + eps)
policy_losses, value_losses = [], []
for (log_prob, value), R in zip(model.saved_actions, returns):
    advantage = R - value.item()
    policy_losses.append(-log_prob * advantage)
    value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
optimizer.zero_grad()
loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
loss.backward()
optimizer.step()
print(returns, loss)
print(model.affine1.weight.grad[0], model.value_head.bias)
d = Normal(torch.zeros(2), torch.ones(2))
print(d, d.log_prob(torch.tensor([0.0, 1.0])), d.entropy().sum(), d.cdf(torch.tensor(0.0)))
print(torch.distributions.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)))

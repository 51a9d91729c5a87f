from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, Normal


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class Corridor:
    def __init__(self, n=5):
        self.n = n

    def reset(self):
        self.at, self.t = 0, 0
        return self.state()

    def state(self):
        return F.one_hot(torch.tensor(self.at), self.n).float()

    def step(self, action):
        self.t += 1
        self.at = max(0, self.at + (1 if action else -1))
        done = self.at == self.n - 1 or self.t >= 20
        return (
            self.state() if self.at < self.n else None,
            1.0 if self.at == self.n - 1 else -0.1,
            done,
        )


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(5, 16)
        self.action_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)
        self.saved_actions, self.rewards = [], []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps
env = Corridor()


def select_action(state):
    probs, value = model(state)
    m = Categorical(probs)
    action = m.sample()
    model.saved_actions.append(SavedAction(m.log_prob(action), value))
    return action.item()


def finish_episode():
    R, returns, policy_losses, value_losses = 0, deque(), [], []
    for r in model.rewards[::-1]:
        R = r + 0.99 * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for (log_prob, value), R in zip(model.saved_actions, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:]
    del model.saved_actions[:]
    return loss


lengths = []
for episode in range(30):
    state, total = env.reset(), 0
    for t in range(1, 30):
        state, reward, done = env.step(select_action(state))
        model.rewards.append(reward)
        total += reward
        if done:
            break
    loss = finish_episode()
    lengths.append(t)
print(lengths[-1] >= 4, loss.dim(), len(lengths))
probs, value = fixed(model)(env.reset())
print(probs.shape, value.shape, probs.sum())
m = Categorical(logits=torch.tensor([[1.0, 2.0], [0.5, 0.5]]))
print(
    m,
    m.probs,
    m.entropy(),
    m.log_prob(torch.tensor([0, 1])),
    m.batch_shape,
    m.event_shape,
    m.param_shape,
)
n = Normal(torch.zeros(2), torch.tensor([1.0, 0.5]))
print(
    n,
    n.log_prob(torch.ones(2)).sum(-1),
    n.entropy(),
    n.cdf(torch.tensor(0.5)),
    n.rsample().shape,
    n.variance,
)
old, new = torch.tensor([-1.0, -0.5]), torch.tensor([-0.8, -0.9])
ratio = (new - old).exp()
adv = torch.tensor([1.0, -1.0])
print(
    torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean(),
    torch.distributions.kl_divergence(m, Categorical(torch.ones(2, 2))),
)


def discount(rewards, gamma):
    out = torch.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


print(
    discount(torch.tensor([0.0, 0.0, 1.0]), 0.9),
    torch.tensor(deque([1.0, 2.0])),
    torch.stack([p for p in (probs[0], probs[1])]).shape,
)

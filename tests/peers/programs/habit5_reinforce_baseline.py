from collections import deque

import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(2, 8)
        self.action_head = nn.Linear(8, 2)
        self.value_head = nn.Linear(8, 1)
        self.saved_log_probs = []
        self.rewards = []
        self.values = []

    def forward(self, x):
        x = torch.relu(self.affine1(x))
        return torch.softmax(self.action_head(x), dim=-1), self.value_head(x)


policy = fixed(Policy())
optimizer = optim.Adam(policy.parameters(), lr=3e-2)
eps = 1e-8


def select_action(state, step):
    probs, value = policy(torch.as_tensor(state, dtype=torch.float32).unsqueeze(0))
    m = Categorical(probs)
    action = torch.tensor([(step * 7 % 3) % 2])
    policy.saved_log_probs.append(m.log_prob(action))
    policy.values.append(value.squeeze(-1))
    return action.item(), m.entropy()


def finish_episode(entropies):
    R = 0
    returns = deque()
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    values = torch.cat(policy.values)
    advantage = returns - values.detach()
    policy_loss = torch.cat([-lp * a for lp, a in zip(policy.saved_log_probs, advantage)]).sum()
    value_loss = nn.functional.smooth_l1_loss(values, returns, reduction="sum")
    loss = policy_loss + value_loss - 0.01 * torch.stack(entropies).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.rewards[:], policy.saved_log_probs[:], policy.values[:]
    return loss.item()


state = [0.1, -0.2]
for i_episode in range(4):
    ent = []
    for t in range(1, 10):
        action, e = select_action(state, t + i_episode)
        state = [state[0] + (0.1 if action else -0.1), state[1] * 0.9]
        policy.rewards.append(1.0 - abs(state[0]))
        ent.append(e)
    print(i_episode, "loss %.4f" % finish_episode(ent))

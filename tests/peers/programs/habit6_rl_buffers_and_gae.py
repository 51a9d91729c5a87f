import random
from collections import deque, namedtuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical, Normal

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return random.sample(self.memory, n)

    def __len__(self):
        return len(self.memory)


memory = ReplayMemory(10)
for i in range(4):
    s = torch.tensor([[float(i), -float(i)]])
    memory.push(s, torch.tensor([[i % 2]]), None if i == 3 else s + 1, torch.tensor([float(i)]))
batch = Transition(*zip(*memory.memory))
mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
nonfinal = torch.cat([s for s in batch.next_state if s is not None])
states, actions, rewards = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
policy, target = nn.Linear(2, 2), nn.Linear(2, 2)
with torch.no_grad():
    policy.weight.copy_(torch.tensor([[0.1, 0.2], [0.3, -0.4]]))
    policy.bias.zero_()
target.load_state_dict(policy.state_dict())
q = policy(states).gather(1, actions)
nxt = torch.zeros(4)
with torch.no_grad():
    nxt[mask] = target(nonfinal).max(1).values
loss = nn.SmoothL1Loss()(q, (nxt * 0.9 + rewards).unsqueeze(1))
loss.backward()
for p in policy.parameters():
    p.grad.data.clamp_(-1, 1)
print(loss, policy.weight.grad, len(memory.sample(2)))
tau = 0.005
sd, td = policy.state_dict(), target.state_dict()
for key in sd:
    td[key] = sd[key] * tau + td[key] * (1 - tau)
target.load_state_dict(td)


def gae(rewards, values, dones, gamma=0.99, lam=0.95):
    adv = torch.zeros_like(rewards)
    last = 0.0
    for t in reversed(range(len(rewards))):
        nonterm = 1.0 - dones[t]
        delta = rewards[t] + gamma * values[t + 1] * nonterm - values[t]
        adv[t] = last = delta + gamma * lam * nonterm * last
    return adv


r = torch.tensor([1.0, 0.0, 2.0])
v = torch.tensor([0.5, 0.4, 0.3, 0.2])
adv = gae(r, v, torch.tensor([0.0, 1.0, 0.0]))
print(adv, (adv - adv.mean()) / (adv.std() + 1e-8), adv + v[:-1])
logits = torch.tensor([[0.2, 0.8], [0.5, 0.5], [1.0, -1.0]], requires_grad=True)
dist = Categorical(logits=logits)
acts = torch.tensor([1, 0, 0])
old = dist.log_prob(acts).detach() - 0.1
ratio = (dist.log_prob(acts) - old).exp()
surr = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
loss = -surr.mean() - 0.01 * dist.entropy().mean()
loss.backward()
print(ratio, loss, logits.grad)
mu, log_std = (
    torch.tensor([0.1, -0.3], requires_grad=True),
    torch.tensor([-0.5, -0.5], requires_grad=True),
)
pi = Normal(mu, log_std.exp())
u = torch.tensor([0.3, -0.6])
logp = (pi.log_prob(u) - 2 * (torch.log(torch.tensor(2.0)) - u - F.softplus(-2 * u))).sum()
logp.backward()
print(logp, torch.tanh(u), mu.grad, log_std.grad)
returns = []
R = 0
for rew in [1.0, 2.0, 3.0][::-1]:
    R = rew + 0.9 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
print(returns, (returns - returns.mean()) / (returns.std() + torch.finfo(torch.float32).eps))
eps = 0.5
print(
    (torch.rand(1).item() < 2 * eps),
    policy(torch.ones(1, 2)).max(1)[1].view(1, 1).shape,
    torch.multinomial(torch.tensor([0.0, 1.0]), 1).item(),
)

from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical, Independent, Normal

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
rewards = [1.0, 0.0, -1.0, 2.0, 0.5]
R, returns = 0, []
for r in rewards[::-1]:
    R = r + 0.9 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
print(returns, (returns - returns.mean()) / (returns.std() + np.finfo(np.float32).eps.item()))
returns2 = deque()
for r in reversed(rewards):
    returns2.appendleft(r + 0.9 * (returns2[0] if returns2 else 0))
print(torch.tensor(returns2), torch.tensor(list(returns2)).equal(returns))


def gae(r, v, done, gamma=0.99, lam=0.95):
    adv = torch.zeros_like(r)
    last = 0
    for t in reversed(range(len(r))):
        delta = r[t] + gamma * v[t + 1] * (1 - done[t]) - v[t]
        adv[t] = last = delta + gamma * lam * (1 - done[t]) * last
    return adv


r = torch.tensor(rewards)
print(gae(r, torch.linspace(0, 1, 6), torch.tensor([0, 0, 1.0, 0, 0])))
pol = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2), nn.Softmax(dim=-1))
with torch.no_grad():
    for i, p in enumerate(pol.parameters()):
        p.copy_(torch.cos(torch.arange(p.numel()) + float(i)).view(p.shape))
state = np.array([0.3, -0.2])
probs = pol(torch.from_numpy(state).float().unsqueeze(0))
m = Categorical(probs)
a = m.sample()
print(m, a.shape, a.item() in (0, 1), m.log_prob(torch.tensor([1])), m.entropy(), m.probs, m.logits)
saved = [
    Categorical(pol(torch.tensor([[float(i), 1.0]]))).log_prob(torch.tensor([i % 2]))
    for i in range(5)
]
loss = torch.cat([-lp * R for lp, R in zip(saved, returns)]).sum()
loss.backward()
print(loss, pol[0].weight.grad)
mem = deque(maxlen=4)
for i in range(6):
    mem.append(
        Transition(
            torch.tensor([[i, i + 1.0]]),
            torch.tensor([[i % 2]]),
            None if i == 4 else torch.tensor([[i + 1.0, i]]),
            torch.tensor([i * 1.0]),
        )
    )
batch = Transition(*zip(*mem))
nf = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
ns = torch.cat([s for s in batch.next_state if s is not None])
sb, ab, rb = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
q = pol(sb).gather(1, ab)
nv = torch.zeros(4)
with torch.no_grad():
    nv[nf] = pol(ns).max(1).values
target = nv * 0.99 + rb
print(q, target, nn.SmoothL1Loss()(q, target.unsqueeze(1)), nf)
tgt = nn.Linear(2, 2)
src = nn.Linear(2, 2)
TAU = 0.005
tsd, ssd = tgt.state_dict(), src.state_dict()
for k in ssd:
    tsd[k] = ssd[k] * TAU + tsd[k] * (1 - TAU)
print(tgt.load_state_dict(tsd))
d = Independent(Normal(torch.zeros(3, 2), torch.ones(2).exp()), 1)
print(d, d.log_prob(torch.ones(3, 2)), d.entropy(), d.batch_shape, d.event_shape)
ratio = torch.exp(torch.tensor([0.1, -0.4, 0.5], requires_grad=True))
adv = torch.tensor([1.0, -1.0, 2.0])
ppo = -torch.min(ratio * adv, torch.clamp(ratio, 1 - 0.2, 1 + 0.2) * adv).mean()
print(ppo, torch.nn.functional.huber_loss(ratio, adv, delta=0.5))
act = torch.tanh(d.rsample())
print(act.shape, torch.as_tensor(np.array([s.state.numpy() for s in mem])).squeeze(1))

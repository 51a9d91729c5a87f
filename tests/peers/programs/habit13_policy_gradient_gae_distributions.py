"""CS285-ish policy gradient pieces."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import itertools
from typing import Sequence, Union

import numpy as np
import torch
from torch import distributions as D
from torch import nn, optim

Activation = Union[str, nn.Module]
_str_to_activation = {
    "relu": nn.ReLU(),
    "tanh": nn.Tanh(),
    "identity": nn.Identity(),
    "elu": nn.ELU(),
    "softplus": nn.Softplus(),
}


def build_mlp(
    input_size: int,
    output_size: int,
    n_layers: int,
    size: int,
    activation: Activation = "tanh",
    output_activation: Activation = "identity",
) -> nn.Module:
    if isinstance(activation, str):
        activation = _str_to_activation[activation]
    layers = []
    in_size = input_size
    for _ in range(n_layers):
        layers.append(nn.Linear(in_size, size))
        layers.append(activation)
        in_size = size
    layers.append(nn.Linear(in_size, output_size))
    layers.append(_str_to_activation[output_activation])
    return nn.Sequential(*layers)


def from_numpy(*args, **kwargs):
    return torch.from_numpy(*args, **kwargs).float()


def to_numpy(tensor):
    return tensor.to("cpu").detach().numpy()


class MLPPolicy(nn.Module):
    def __init__(self, ac_dim, ob_dim, n_layers, layer_size, discrete, learning_rate):
        super().__init__()
        self.discrete = discrete
        if discrete:
            self.logits_net = build_mlp(ob_dim, ac_dim, n_layers, layer_size)
            params = self.logits_net.parameters()
        else:
            self.mean_net = build_mlp(ob_dim, ac_dim, n_layers, layer_size)
            self.logstd = nn.Parameter(torch.zeros(ac_dim, dtype=torch.float32))
            params = itertools.chain([self.logstd], self.mean_net.parameters())
        self.optimizer = optim.Adam(params, learning_rate)

    def forward(self, obs: torch.FloatTensor):
        if self.discrete:
            return D.Categorical(logits=self.logits_net(obs))
        return D.Independent(D.Normal(self.mean_net(obs), self.logstd.exp()), 1)

    def update(self, obs, actions, advantages):
        obs, actions, advantages = from_numpy(obs), torch.as_tensor(actions), from_numpy(advantages)
        dist = self(obs)
        logp = dist.log_prob(actions)
        loss = -(logp * advantages).mean() - 0.01 * dist.entropy().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item(), dist.entropy().mean().item()


@torch.no_grad()
def init_all(m):
    for i, p in enumerate(m.parameters()):
        p.copy_((0.4 * torch.sin(torch.arange(p.numel()) + 1.5 * i)).view_as(p))


def reward_to_go(rewards: Sequence[float], gamma: float) -> np.ndarray:
    out, run = np.zeros(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        run = rewards[t] + gamma * run
        out[t] = run
    return out


def gae(rews, values, gamma=0.99, lam=0.95):
    deltas = rews + gamma * values[1:] - values[:-1]
    adv = torch.zeros_like(rews)
    last = 0.0
    for t in range(len(rews) - 1, -1, -1):
        adv[t] = last = deltas[t] + gamma * lam * last
    return adv


obs = np.sin(np.arange(16 * 3).reshape(16, 3)).astype(np.float32)
acts = np.arange(16) % 2
rews = np.where(acts == (obs[:, 0] > 0), 1.0, -0.5)
rtg = reward_to_go(rews.tolist(), 0.9)
print(np.round(rtg[:5], 4), rtg.dtype)
adv = (rtg - rtg.mean()) / (rtg.std() + 1e-8)

pi = MLPPolicy(2, 3, 2, 8, True, 5e-3)
init_all(pi)
print(pi)
d = pi(from_numpy(obs))
print(type(d).__name__, d.batch_shape, d.probs[0], d.entropy()[:3])
for it in range(4):
    print(it, "loss %.4f entropy %.4f" % pi.update(obs, acts, adv))
print(to_numpy(pi(from_numpy(obs[:2])).logits).round(3))

cont = MLPPolicy(2, 3, 1, 8, False, 1e-2)
init_all(cont)
d = cont(from_numpy(obs[:4]))
print(d.batch_shape, d.event_shape, d.mean.shape, d.log_prob(torch.zeros(4, 2)))
cacts = np.cos(np.arange(32.0)).reshape(16, 2).astype(np.float32)
for it in range(2):
    print(it, "loss %.4f entropy %.4f" % cont.update(obs, cacts, adv))
values = torch.linspace(0, 1, 17)
a = gae(torch.tensor(rews, dtype=torch.float32), values)
print(a[:4], a.shape)

# PPO clip
old = d.log_prob(torch.from_numpy(cacts[:4])).detach()
new = cont(from_numpy(obs[:4])).log_prob(torch.from_numpy(cacts[:4]))
ratio = (new - old).exp()
adv4 = a[:4]
ppo = -torch.min(ratio * adv4, torch.clamp(ratio, 1 - 0.01, 1 + 0.01) * adv4).mean()
print(f"{ppo:.4f}", ratio, ((ratio - 1.0).abs() > 0.01).float().mean())
print(
    "kl %.4f" % D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(torch.tensor(0.5), torch.tensor(2.0)))
)
print(
    D.kl_divergence(
        D.Categorical(probs=torch.tensor([0.2, 0.8])), D.Categorical(logits=torch.zeros(2))
    )
)
tn = D.TransformedDistribution(
    D.Normal(torch.zeros(2), torch.ones(2)), [D.TanhTransform(cache_size=1)]
)
print(
    tn.log_prob(torch.tensor([0.1, -0.7])),
    D.Categorical(torch.ones(3)),
    D.Normal(0.0, 1.0),
    sep="\n",
)

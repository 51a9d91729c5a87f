import torch
import torch.nn as nn
from torch.distributions.normal import Normal


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Agent(nn.Module):
    def __init__(self, obs=3, act=2):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(obs, 8), nn.Tanh(), nn.Linear(8, 1))
        self.actor_mean = nn.Sequential(nn.Linear(obs, 8), nn.Tanh(), nn.Linear(8, act))
        self.actor_logstd = nn.Parameter(torch.zeros(1, act))

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        probs = Normal(mean, torch.exp(self.actor_logstd.expand_as(mean)))
        if action is None:
            action = mean.detach() + 0.1
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


agent = fixed(Agent())
opt = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-5)
N = 6
obs = torch.sin(torch.arange(N * 3.0)).view(N, 3)
rewards = torch.linspace(0, 1, N)
values = torch.zeros(N)
logprobs = torch.zeros(N)
actions = torch.zeros((N, 2))
for s in range(N):
    with torch.no_grad():
        a, lp, _, val = agent.get_action_and_value(obs[s : s + 1])
        values[s] = val.flatten()
    actions[s] = a
    logprobs[s] = lp
advantages = torch.zeros_like(rewards)
lastgae = 0
for t in reversed(range(N)):
    nextvalue = values[t + 1] if t < N - 1 else 0.0
    delta = rewards[t] + 0.99 * nextvalue - values[t]
    advantages[t] = lastgae = delta + 0.99 * 0.95 * lastgae
returns = advantages + values
for epoch in range(3):
    _, newlogprob, entropy, newvalue = agent.get_action_and_value(obs, actions)
    logratio = newlogprob - logprobs
    ratio = logratio.exp()
    with torch.no_grad():
        approx_kl = ((ratio - 1) - logratio).mean()
        clipfrac = ((ratio - 1.0).abs() > 0.2).float().mean().item()
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 0.8, 1.2)).mean()
    v_loss = 0.5 * ((newvalue.view(-1) - returns) ** 2).mean()
    loss = pg_loss - 0.01 * entropy.mean() + v_loss * 0.5
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    opt.step()
    print(
        f"{epoch} {pg_loss.item():.4f} {v_loss.item():.4f} {entropy.mean():.4f} {approx_kl:.5f} {clipfrac:.2f}"
    )
y_pred, y_true = values.numpy(), returns.numpy()
print("explained variance %.3f" % (1 - (y_true - y_pred).var() / y_true.var()))

import torch
from torch import nn, optim
from torch.distributions import Categorical

# a bandit with two arms: the policy learns the better one
torch.manual_seed(0)
policy = nn.Linear(1, 2)
optimizer = optim.Adam(policy.parameters(), lr=0.1)
state = torch.ones(1, 1)
for episode in range(100):
    dist = Categorical(logits=policy(state))
    action = dist.sample()
    reward = 1.0 if action.item() == 1 else -1.0
    loss = -(dist.log_prob(action) * reward).sum() - 0.001 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.softmax(policy(state), dim=-1)[0, 1].item() > 0.9)

import math
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 8)
        self.layer3 = nn.Linear(8, n_actions)

    def forward(self, x):
        return self.layer3(F.relu(self.layer1(x)))


policy_net, target_net = DQN(4, 2), DQN(4, 2)
for p in policy_net.parameters():
    nn.init.constant_(p, 0.1)
print(target_net.load_state_dict(policy_net.state_dict()))
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory = ReplayMemory(100)
for i in range(8):
    state = torch.full((1, 4), i / 8)
    nxt = None if i % 3 == 2 else state + 0.1
    memory.push(state, torch.tensor([[i % 2]]), nxt, torch.tensor([1.0]))
batch = Transition(*zip(*memory.memory))
non_final_mask = torch.tensor(
    tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool
)
non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
state_batch, action_batch, reward_batch = (
    torch.cat(batch.state),
    torch.cat(batch.action),
    torch.cat(batch.reward),
)
for _ in range(3):
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(8)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * 0.99) + reward_batch
    criterion = nn.SmoothL1Loss()
    loss = criterion(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target_sd, policy_sd = target_net.state_dict(), policy_net.state_dict()
    for key in policy_sd:
        target_sd[key] = policy_sd[key] * 0.5 + target_sd[key] * 0.5
    target_net.load_state_dict(target_sd)
    print(loss)
print(policy_net(torch.ones(1, 4)).max(1)[1].view(1, 1), target_net.layer3.bias.data)
eps = 0.05 + 0.85 * math.exp(-1.0 * 10 / 1000)
print(f"{eps:.3f}", optimizer)

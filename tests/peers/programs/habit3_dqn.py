import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 8)
        self.layer3 = nn.Linear(8, n_actions)

    def forward(self, x):
        return self.layer3(F.relu(self.layer1(x)))


random.seed(0)
device = "cpu"
policy_net, target_net = DQN(3, 2).to(device), DQN(3, 2).to(device)
for i, p in enumerate(policy_net.parameters()):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float32) + i).reshape(p.shape) * 0.3
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory = ReplayMemory(50)
state = torch.tensor([0.1, 0.2, 0.3]).unsqueeze(0)
for t in range(20):
    with torch.no_grad():
        action = policy_net(state).max(1).indices.view(1, 1)
    if t % 3 == 0:
        action = torch.tensor([[random.randrange(2)]], device=device, dtype=torch.long)
    reward = torch.tensor([float(action.item())], device=device)
    next_state = None if t % 7 == 6 else state * 0.9 + action.float() * 0.1
    memory.push(state, action, next_state, reward)
    state = next_state if next_state is not None else torch.tensor([[0.1, 0.2, 0.3]])
    if len(memory) < 8:
        continue
    batch = Transition(*zip(*memory.sample(8)))
    non_final_mask = torch.tensor(
        tuple(map(lambda s: s is not None, batch.next_state)), device=device, dtype=torch.bool
    )
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_action_values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    next_state_values = torch.zeros(8, device=device)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = next_state_values * 0.99 + torch.cat(batch.reward)
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target_dict, policy_dict = target_net.state_dict(), policy_net.state_dict()
    for key in policy_dict:
        target_dict[key] = policy_dict[key] * 0.05 + target_dict[key] * 0.95
    target_net.load_state_dict(target_dict)
    if t % 4 == 3:
        print(t, loss.item(), policy_net(state))

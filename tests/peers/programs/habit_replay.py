import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
memory = deque(maxlen=10)
for i in range(6):
    nxt = None if i == 5 else torch.tensor([[i + 1.0, 0.5]])
    memory.append(
        Transition(
            torch.tensor([[float(i), 0.5]]), torch.tensor([[i % 2]]), nxt, torch.tensor([float(i)])
        )
    )
batch = Transition(*zip(*list(memory)))
mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
non_final = torch.cat([s for s in batch.next_state if s is not None])
states, actions, rewards = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
net = nn.Linear(2, 2)
net.weight.data = torch.tensor([[0.1, 0.2], [-0.3, 0.4]])
net.bias.data = torch.zeros(2)
q = net(states).gather(1, actions)
next_values = torch.zeros(6)
with torch.no_grad():
    next_values[mask] = net(non_final).max(1).values
expected = (next_values * 0.99) + rewards
loss = nn.SmoothL1Loss()(q, expected.unsqueeze(1))
loss.backward()
torch.nn.utils.clip_grad_value_(net.parameters(), 100)
print(loss, net.weight.grad, mask.tolist(), net(states).max(1)[1].view(-1, 1).shape)
print(
    torch.tensor([[random.randrange(2)]], dtype=torch.long).shape, F.one_hot(actions.squeeze(), 2)
)

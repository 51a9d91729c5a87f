import copy

import torch
from torch import nn

net = nn.Linear(1, 1)
nn.init.zeros_(net.weight)
nn.init.zeros_(net.bias)
x, y = torch.tensor([[0.0], [1.0], [2.0]]), torch.tensor([[1.0], [3.0], [5.0]])
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
best_loss, best_state, waited = float("inf"), None, 0
for epoch in range(50):
    net.train()
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        validation = nn.functional.l1_loss(net(x), y).item()
    if validation < best_loss - 1e-4:
        best_loss, best_state, waited = validation, copy.deepcopy(net.state_dict()), 0
    else:
        waited += 1
    if waited == 5:
        print("stopped")
        break
net.load_state_dict(best_state)
print(best_loss, net.weight, net.bias, loss)

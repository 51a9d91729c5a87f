import torch
from torch import nn, optim

x = torch.arange(-5, 5, 0.5).view(-1, 1)
y = -2 * x + 1
model = nn.Linear(1, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
criterion = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.05)
for _ in range(100):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
print(model, model.weight.data, model.bias.data, round(loss.item(), 6))
print(model.weight, model.bias)

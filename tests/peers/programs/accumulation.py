import torch
from torch import nn

w = nn.Parameter(torch.tensor(1.0))
for _ in range(3):
    (w * 2).backward()
print(w.grad)
w.grad.zero_()
(w * 2).backward()
print(w.grad)
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.zero_grad()
print(w.grad)
for i in range(4):
    loss = (w - i) ** 2 / 4
    loss.backward()
    if (i + 1) % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()
print(w)
total = 0.0
for value in (torch.tensor(1.0), torch.tensor(2.5)):
    total += value.item()
print(total / 2)

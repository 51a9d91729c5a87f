import torch
from torch import nn, optim


def run(make):
    w = nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = make([w])
    for _ in range(5):
        optimizer.zero_grad()
        ((w - 3) ** 2).sum().backward()
        optimizer.step()
    return w.data


print(run(lambda p: optim.SGD(p, lr=0.1)), run(lambda p: optim.SGD(p, lr=0.1, momentum=0.9)))
print(run(lambda p: optim.Adam(p, lr=0.1)), run(lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.1)))
print(run(lambda p: optim.RMSprop(p, lr=0.1)), run(lambda p: optim.Adagrad(p, lr=0.1)))
a, b = nn.Linear(2, 2), nn.Linear(2, 1)
optimizer = optim.SGD([{"params": a.parameters()}, {"params": b.parameters(), "lr": 1e-3}], lr=1e-2)
print([group["lr"] for group in optimizer.param_groups], len(optimizer.param_groups[0]["params"]))
for group in optimizer.param_groups:
    group["lr"] *= 0.1
print([round(group["lr"], 6) for group in optimizer.param_groups], sorted(optimizer.state_dict()))

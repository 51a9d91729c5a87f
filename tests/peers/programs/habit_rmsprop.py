import torch
from torch import nn, optim

w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = optim.RMSprop([w], lr=0.01, alpha=0.9, centered=True, momentum=0.5, weight_decay=1e-3)
for step in range(5):
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), w.data)
print(optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["centered"])
print(sorted(optimizer.state[w]))
for group in optimizer.param_groups:
    group["lr"] *= 0.1
print(optimizer.state_dict()["param_groups"][0]["lr"])
for cls in (optim.Adadelta, optim.Adagrad, optim.Adamax, optim.NAdam):
    v = nn.Parameter(torch.tensor([1.0, -2.0]))
    opt = cls([v])
    for _ in range(3):
        opt.zero_grad()
        (v**2).sum().backward()
        opt.step()
    print(cls.__name__, v.detach())

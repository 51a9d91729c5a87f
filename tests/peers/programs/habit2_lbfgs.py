import torch
from torch import optim

x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
optimizer = optim.LBFGS([x], lr=1.0, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for step in range(5):
    loss = optimizer.step(closure)
    print(step, "%.4f" % loss.item())
print(["%.3f" % v for v in x.tolist()])
plain = torch.tensor([3.0, -2.0], requires_grad=True)
optimizer = optim.LBFGS([plain], lr=0.5)


def quadratic():
    optimizer.zero_grad()
    loss = (plain**2 * torch.tensor([1.0, 5.0])).sum()
    loss.backward()
    return loss


for step in range(3):
    print("%.5f" % optimizer.step(quadratic).item())
print(optimizer)

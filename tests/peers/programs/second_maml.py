import torch
import torch.nn.functional as F

weight = (torch.sin(torch.arange(12.0)).reshape(3, 4) * 0.3).requires_grad_()
bias = torch.zeros(3, requires_grad=True)


def task(k):
    x = torch.cos(torch.arange(32.0) * (k + 1)).reshape(8, 4)
    return x, (torch.arange(8) * (k + 1)) % 3


optimizer = torch.optim.SGD([weight, bias], lr=0.5)
for step in range(4):
    outer = 0
    for k in range(2):
        x, y = task(k)
        inner = F.cross_entropy(F.linear(x[:4], weight, bias), y[:4], label_smoothing=0.1)
        gw, gb = torch.autograd.grad(inner, [weight, bias], create_graph=True)
        fast = F.linear(x[4:], weight - 0.4 * gw, bias - 0.4 * gb)
        outer = outer + F.cross_entropy(fast, y[4:])
    optimizer.zero_grad()
    outer.backward()
    optimizer.step()
    print(step, f"{outer.item():.4f}", f"{weight.grad.norm().item():.4f}")
print(bias)

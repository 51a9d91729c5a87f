import torch
from torch import nn

w = torch.ones(2, requires_grad=True)
loss = (w * w).sum()
loss.backward()
print(w.grad)


def in_place_on_a_leaf():
    global w
    w += 1


attempts = {
    "backward twice": lambda: loss.backward(),
    "backward of a vector": lambda: (w * 2).backward(),
    "backward without a graph": lambda: torch.ones(2).sum().backward(),
    "leaf in place": in_place_on_a_leaf,
    "numpy": lambda: w.numpy(),
    "backward after detach": lambda: (w.detach() * 2).sum().backward(),
    "backward inside no_grad": torch.no_grad()(lambda: (w * 2).sum().backward()),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except RuntimeError as error:
        print(name, "failed", len(str(error)) > 10)
again = (w * w).sum()
again.backward(retain_graph=True)
again.backward()
print(w.grad)
stepped = w - 0.1 * w.grad
print(stepped.is_leaf, stepped.grad is None)
for wrong in (lambda: torch.optim.SGD([], lr=0.1), lambda: torch.optim.SGD([stepped], lr=0.1)):
    try:
        wrong()
    except ValueError:
        print("refused")
try:
    torch.optim.SGD(nn.Parameter(torch.ones(1)), lr=0.1)
except TypeError:
    print("a list is needed")

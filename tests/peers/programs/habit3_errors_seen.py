import torch
from torch import nn


def tried(f):
    try:
        f()
        print("no error")
    except Exception as e:
        kinds = [k.__name__ for k in type(e).__mro__ if k.__module__ == "builtins"]
        print(kinds[0])


tried(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
tried(lambda: torch.ones(2) + torch.ones(3))
tried(lambda: torch.cat([torch.ones(1, 2), torch.ones(1, 3)], 0))
tried(lambda: torch.ones(2, 3).view(4))
tried(lambda: torch.ones(2)[5])
tried(lambda: torch.ones(2).backward())
tried(lambda: torch.ones(2, requires_grad=True).backward())
tried(lambda: nn.Linear(2, 3)(torch.ones(1, 4)))
tried(lambda: nn.CrossEntropyLoss()(torch.ones(1, 2), torch.ones(1)))
tried(lambda: torch.ones(2, 2).item())
tried(lambda: bool(torch.ones(2)))
tried(lambda: torch.tensor([1, 2], requires_grad=True))
tried(lambda: torch.zeros(2).reshape(3))
tried(lambda: torch.stack([torch.ones(1), torch.ones(2)]))
tried(lambda: torch.tensor("a"))
tried(lambda: torch.ones(2).unsqueeze(5))
tried(lambda: torch.ones(2).foo)
tried(lambda: nn.Linear(2, 2).foo)
tried(lambda: torch.zeros(-1))
tried(lambda: nn.Conv2d(1, 1, 3)(torch.ones(1, 2, 5, 5)))
tried(lambda: torch.ones(2, requires_grad=True).numpy())
w = torch.ones(2, requires_grad=True)
tried(lambda: w.add_(1))
y = w * w
y.sum().backward()
tried(lambda: y.sum().backward())
tried(lambda: torch.optim.SGD([], lr=0.1))
tried(lambda: torch.optim.SGD([w], lr=-1))
tried(lambda: iter(torch.tensor(1)))
tried(lambda: len(torch.tensor(1)))
tried(lambda: torch.load("does_not_exist.pt"))

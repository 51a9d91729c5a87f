import torch
from torch import nn

x = torch.ones(2, 3)
attempts = {
    "view": lambda: x.view(4, 2),
    "matmul": lambda: x @ x,
    "cat": lambda: torch.cat([x, torch.ones(3, 2)]),
    "stack": lambda: torch.stack([x, torch.ones(3)]),
    "layer": lambda: nn.Linear(4, 2)(x),
    "item": lambda: x.item(),
    "truth": lambda: bool(x),
    "view of a transpose": lambda: x.t().view(-1),
    "bce": lambda: nn.BCEWithLogitsLoss()(torch.ones(2, 1), torch.ones(2, 2)),
    "targets": lambda: nn.CrossEntropyLoss()(x, torch.tensor([[0], [1]])),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except (RuntimeError, ValueError) as error:
        print(name, "failed", len(str(error)) > 10)
for name, attempt in {
    "index": lambda: x[2],
    "dim": lambda: x.sum(2),
    "two": lambda: x[0, 0, 0],
    "class": lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 3])),
}.items():
    try:
        attempt()
    except IndexError:
        print(name, "out of range")

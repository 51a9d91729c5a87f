import torch
from torch import nn

attempts = {
    "float targets": lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0.0, 1.0])),
    "int targets": lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 1]).int()),
    "ints into a layer": lambda: nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.long)),
    "doubles into a layer": lambda: nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.float64)),
    "mean of ints": lambda: torch.tensor([1, 2]).mean(),
    "gradients of ints": lambda: torch.tensor([1, 2], requires_grad=True),
    "ints halved in place": lambda: torch.tensor([1, 2]).div_(2),
    "minus of bool": lambda: -torch.tensor([True]),
    "product of two dtypes": lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except RuntimeError as error:
        print(name, "failed", len(str(error)) > 10)
print(
    torch.tensor([5]) / torch.tensor([2]),
    5 // torch.tensor([2]),
    torch.tensor([3, 4]).float().mean(),
)

import torch
from torch import nn

for bad in (
    lambda: torch.ones(2) + torch.ones(3),
    lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    lambda: torch.ones(3)[5],
    lambda: torch.zeros(6).view(4, 2),
    lambda: torch.tensor([1, 2]).float().requires_grad_().numpy(),
    lambda: torch.tensor([1, 2]).item(),
    lambda: bool(torch.tensor([1, 2])),
    lambda: nn.Linear(2, 3)(torch.ones(1, 5)),
    lambda: nn.CrossEntropyLoss()(torch.ones(1, 2), torch.tensor([5])),
    lambda: torch.cat([torch.ones(1, 2), torch.ones(1, 3)]),
    lambda: torch.tensor([[1, 2], [3]]),
    lambda: torch.tensor([1]).requires_grad_(),
    lambda: torch.ones(2).backward(),
    lambda: torch.ones(2).foo,
    lambda: torch.stack([]),
    lambda: torch.Tensor([1, 2]).expand(3, 3),
    lambda: torch.ones(2).sum(dim=4),
):
    try:
        print(bad())
    except Exception as e:
        print(
            next(
                c.__name__
                for c in (IndexError, AttributeError, TypeError, ValueError, RuntimeError)
                if isinstance(e, c)
            )
        )

import torch

print(
    torch.tensor([1.5, float("nan"), float("inf")]), torch.tensor([1e10, 1.0]), torch.tensor(1e-8)
)
print(torch.tensor([1e-5, 1.0]), torch.tensor([100000.0, 0.5]), torch.tensor([0.1, 0.25, 100.0]))
print(torch.arange(1001), torch.zeros(100, 100), torch.zeros(0), torch.zeros(2, 0))
print(torch.arange(24).reshape(2, 3, 4), torch.linspace(0, 1, 30), torch.full((3, 40), 0.5))
print(torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2)
print(
    torch.tensor([1.0, 2.0], dtype=torch.float16), torch.tensor([True]), torch.tensor([[1, -100]])
)
print([torch.tensor(1)], {"a": torch.ones(2)}, (torch.tensor(2.0),))
torch.set_printoptions(precision=2, sci_mode=False)
print(torch.tensor([3.14159, 0.00001]))
torch.set_printoptions(profile="default")
print(torch.tensor([3.14159, 0.00001]))

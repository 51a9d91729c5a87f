import torch

print(
    torch.result_type(torch.tensor([1, 2]), 1.0),
    torch.result_type(torch.tensor([1.0]), torch.tensor(2, dtype=torch.float64)),
    torch.result_type(1, 2.0),
    torch.result_type(1, 2),
)
print(
    torch.promote_types(torch.int32, torch.float16),
    torch.can_cast(torch.double, torch.int),
    torch.result_type(True, 1),
)
print(
    (torch.ones(2, dtype=torch.int32) / 2).dtype,
    (torch.ones(2, dtype=torch.int32) * 2.5).dtype,
    (torch.ones(2) * torch.ones(2, dtype=torch.long)).dtype,
)
print(
    torch.tensor(True) + torch.tensor(True),
    torch.tensor([True]) + 1,
    torch.tensor(3) // 2,
    torch.tensor(-3) // 2,
    torch.tensor(7) % 3,
    -7 % torch.tensor(3),
)
print(
    torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc"),
    torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor"),
    torch.true_divide(torch.tensor(1), 2),
)
print(
    torch.arange(3, dtype=torch.float) ** 2,
    2 ** torch.arange(4),
    torch.tensor([2]).pow(3),
    torch.pow(2, torch.tensor([1.0, 2.0])),
    torch.tensor([4]).float().rsqrt(),
)
print(
    torch.tensor([1, 2]).float().mean(),
    torch.tensor([1, 2]).sum().dtype,
    torch.tensor([True, True]).sum(),
    torch.tensor([1.5]).int(),
    torch.tensor([2.7]).long(),
    torch.tensor(3.9).int().item(),
)
try:
    torch.tensor([1, 2]).mean()
except RuntimeError as e:
    print("RuntimeError")
a = torch.ones(2, dtype=torch.int64)
try:
    a += 0.5
except RuntimeError as e:
    print("RuntimeError")
print(
    torch.tensor([1e10]).int() is not None,
    torch.tensor(5).item(),
    float(torch.tensor(2)),
    int(torch.tensor(2.7)),
    bool(torch.tensor([0])),
    torch.tensor([[1]]).item(),
)
print(
    torch.get_default_dtype(),
    torch.tensor(1.0).dtype,
    torch.tensor(1).dtype,
    torch.tensor(True).dtype,
    torch.tensor([]).dtype,
    torch.arange(0, 1, 0.25).dtype,
    torch.full((1,), 2).dtype,
)

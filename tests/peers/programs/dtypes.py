import torch

print(torch.tensor([1, 2]).dtype, torch.tensor([1.0]).dtype, torch.tensor([True]).dtype)
x = torch.tensor([0.0, 1.9, -1.9])
print(x.int(), x.long(), x.double(), x.half(), x.bool(), x.to(torch.int64), x.type(torch.int32))
print((torch.tensor([1, 2]) + 0.5).dtype, (torch.tensor([1]) / torch.tensor([2])).dtype)
print((torch.ones(1) + torch.ones(1, dtype=torch.float64)).dtype, torch.arange(3).float().mean())
print(torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([1.5], dtype=torch.float64))
print(torch.tensor(7) // 2, torch.tensor(-7) // 2, torch.tensor(7) % 3, torch.tensor(7) / 2)
print(torch.get_default_dtype(), torch.finfo(torch.float32).eps, torch.iinfo(torch.int32).max)
print(x.type_as(torch.tensor([1])), x.to(torch.tensor([1.0], dtype=torch.float64)).dtype)
print(torch.round(torch.tensor([2.345, 0.5, 1.5]), decimals=2), torch.tensor([0.5, 1.5]).round())

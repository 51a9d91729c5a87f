import torch

x = torch.tensor([1, 2, 3, 4])
print(torch.isin(x, torch.tensor([2, 4])))
print(torch.isin(x, 3), torch.isin(2, x))
print(torch.isin(x, torch.tensor([2]), invert=True))
print(torch.result_type(2, 3.0), torch.result_type(torch.tensor([1]), 1.5))
print(torch.promote_types(torch.int32, torch.float16), torch.can_cast(torch.float32, torch.int64))
print(3 in x, (x == 2).any(), (x > 0).all(), torch.equal(x, x.clone()))
print(torch.is_tensor(x), torch.is_floating_point(x), x.is_floating_point())
print(torch.finfo(torch.float32).max, torch.iinfo(torch.int8).min, torch.finfo(torch.float16).eps)
print(torch.get_default_dtype(), (1 / torch.tensor([2])).dtype)

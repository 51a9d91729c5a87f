import torch

x = torch.tensor([1.0, -2.0])
print(x.view(torch.int32))
print(x.view(torch.int32).view(torch.float32))
print(torch.tensor([1, 2], dtype=torch.int16).view(torch.uint8))
bits = x.view(torch.int32)
bits[0] = 0
print(x)
print(x.element_size(), x.nbytes, x.storage_offset(), x.stride(), x.is_contiguous())
print(x.view(-1, 1).shape, x.view(2).shape, x.reshape(1, -1).size(), x.view_as(torch.zeros(2, 1)))
half = torch.tensor([1.0], dtype=torch.float16).view(torch.int16)
print(hex(half.item()))
print(torch.zeros(2, 4).view(torch.float64).shape)

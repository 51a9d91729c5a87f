import torch

x = torch.tensor([1.0, -2.0, 0.5])
print(x.view(torch.int32), x.view(torch.int32).view(torch.float32), x.view(torch.uint8).shape)
print(
    torch.tensor([1, 256], dtype=torch.int16).view(torch.uint8),
    torch.tensor([1.0]).view(torch.int32).item() == 0x3F800000,
)
bits = x.view(torch.int32)
print((bits >> 31) & 1, (bits >> 23) & 0xFF, bits & 0x7FFFFF)
print(
    torch.zeros(2, 4, dtype=torch.uint8).view(torch.float32).shape, x.bfloat16().view(torch.int16)
)
y = 0x5F3759DF - (torch.tensor([4.0]).view(torch.int32) >> 1)
f = y.view(torch.float32)
print(f * (1.5 - 0.5 * 4.0 * f * f))
print(
    torch.tensor([5]).bitwise_and(3),
    torch.tensor([5]) ^ 1,
    ~torch.tensor([5]),
    torch.tensor([1]) << 4,
    torch.bitwise_left_shift(torch.tensor([1]), 2),
)
packed = (torch.tensor([1, 0, 1, 1]) * 2 ** torch.arange(4)).sum()
print(packed, (packed.unsqueeze(-1) >> torch.arange(4)) & 1)

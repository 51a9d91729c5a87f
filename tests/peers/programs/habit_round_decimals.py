import torch

x = torch.tensor([1.2345, -2.5, 3.14159])
print(torch.round(x), x.round(decimals=2))
x.round_(decimals=1)
print(x)
print(x.trunc(), x.frac(), x.floor(), x.ceil(), torch.fmod(x, 2), torch.remainder(x, 2))
print(
    torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor"),
    torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc"),
)
print(torch.tensor([7, -7]) // 2, torch.tensor([7, -7]) % 3, torch.floor_divide(torch.tensor(9), 2))
print(float(x[2]), int(x[2]), round(x[2].item(), 1), f"{x[0]:.3f}")
print(x.sign(), x.abs(), x.neg(), x.sqrt().isnan(), torch.nan_to_num(x.sqrt()))

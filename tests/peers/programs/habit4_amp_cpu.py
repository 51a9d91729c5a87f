import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.125)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.ones(2, 4), torch.zeros(2, 1)
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    out = model(x)
    loss = nn.functional.mse_loss(out, y)
print(out.dtype, loss.dtype, model[0].weight.dtype, loss)
loss.backward()
opt.step()
print(model[0].weight.grad.dtype, model[2].bias)
print(
    torch.is_autocast_enabled(),
    torch.get_autocast_gpu_dtype() if hasattr(torch, "get_autocast_gpu_dtype") else "",
)
scaler = torch.amp.GradScaler("cuda", enabled=False)
opt.zero_grad()
scaler.scale(model(x).mean()).backward()
scaler.step(opt)
scaler.update()
print(scaler.get_scale(), scaler.is_enabled(), model[2].bias.data)
h = model.half() if False else model.bfloat16()
print(h[0].weight.dtype, h(x.bfloat16()).dtype, x.half().dtype, (x.half() + x).dtype)
print(
    torch.tensor([65504.0]).half() * 2,
    torch.tensor([1.0]).bfloat16() / 3,
    torch.float16,
    torch.tensor(1.0, dtype=torch.half),
)

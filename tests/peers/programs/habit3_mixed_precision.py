import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
for i, p in enumerate(model.parameters()):
    p.data = (torch.arange(p.numel(), dtype=torch.float).view_as(p) - 3) / 8
opt = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", enabled=False)
x = torch.arange(8.0).view(2, 4) / 4
for epoch in range(2):
    opt.zero_grad(set_to_none=True)
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = model(x)
        print(out.dtype, torch.softmax(out, -1).dtype, (x @ x.T).dtype, (x + x).dtype)
        loss = nn.functional.cross_entropy(out.float(), torch.tensor([0, 1]))
    print(loss.dtype, model[0].weight.dtype)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
print(model[0].weight.grad.dtype, scaler.is_enabled(), scaler.get_scale())
half = model.to(torch.bfloat16)
print(
    half(x.bfloat16()).dtype,
    next(half.parameters()).dtype,
    x.half().dtype,
    x.to(torch.float16).float().equal(x),
)
print(torch.finfo(torch.float16).max, torch.finfo(torch.bfloat16).eps, torch.tensor(70000.0).half())
print(torch.is_autocast_enabled(), torch.get_autocast_dtype("cpu"))


@torch.autocast("cpu", dtype=torch.bfloat16)
def f(a, b):
    return a @ b


print(f(x, x.T).dtype)

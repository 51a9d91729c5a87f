import contextlib

import torch
import torch.nn as nn


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


model = fixed(nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 2)))
x, y = noise(4, 8), torch.tensor([0, 1, 1, 0])
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    h = model[0](x)
    out = model(x)
    print(
        h.dtype,
        out.dtype,
        (h @ h.T).dtype,
        (h + 1.0).dtype,
        h.sum().dtype,
        torch.is_autocast_enabled("cpu"),
    )
    loss = nn.functional.cross_entropy(out, y)
    print(loss.dtype, torch.softmax(out, -1).dtype, model[1](h).dtype)
    with torch.autocast("cpu", enabled=False):
        print((h.float() @ h.float().T).dtype)
print(torch.get_autocast_dtype("cpu"), torch.is_autocast_enabled("cpu"))
loss.backward()
print({p.grad.dtype for p in model.parameters()}, model[0].weight.dtype)


@torch.autocast("cpu", dtype=torch.bfloat16)
def forward(m, x):
    return m(x)


print(forward(model, x).dtype)
context = torch.autocast("cpu", dtype=torch.bfloat16) if True else contextlib.nullcontext()
scaler = torch.amp.GradScaler("cpu", enabled=False)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    opt.zero_grad(set_to_none=True)
    with context:
        loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    print(step, f"{loss.item():.2f}", scaler.get_scale(), scaler.is_enabled())
half = torch.tensor([65504.0, 1e-8, 1 / 3], dtype=torch.float16)
print(half, half * 2, half.float(), half.to(torch.bfloat16), half.sum())
b = torch.tensor([1.0, 2.0, 3.0], dtype=torch.bfloat16)
print(b / 3, b.mean(), b @ b, b.float().std(), b.dtype, b.element_size(), (b + 1e-3).tolist())
print(
    (b + half.new_ones(3)).dtype,
    (b * torch.ones(1)).dtype,
    (b * torch.tensor(2.0)).dtype,
    torch.promote_types(torch.float16, torch.bfloat16),
)
m = nn.Linear(2, 2).to(torch.bfloat16)
print(
    m.weight.dtype,
    m(torch.ones(1, 2, dtype=torch.bfloat16)).dtype,
    next(m.half().parameters()).dtype,
    m.float().bias.dtype,
)
master = [p.detach().clone().float().requires_grad_() for p in m.bfloat16().parameters()]
print([p.dtype for p in master], torch.finfo(torch.bfloat16).eps, torch.finfo(torch.float16).tiny)
print(
    torch.tensor(70000.0).half(),
    torch.tensor(-1e-9).half(),
    torch.tensor(3.0).half() // 2,
    torch.tensor([1, 2]).half().type(),
)
try:
    torch.ones(2, 2).half() @ torch.ones(2, 2)
except RuntimeError as e:
    print("same dtype")
print(torch.set_float32_matmul_precision("high"), torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision("highest")

import contextlib

import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast

device = torch.device("cuda" if False else "cpu")
use_amp = True
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)).to(device)
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_((torch.arange(p.numel()) + i).float().sin().view_as(p) / 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = GradScaler("cpu", enabled=use_amp, init_scale=2.0**8)
x = torch.linspace(-1, 1, 32).view(8, 4)
y = torch.arange(8) % 2
losses = []
accum = 2
for i in range(6):
    with autocast(device_type=device.type, dtype=torch.bfloat16, enabled=use_amp):
        out = net(x)
        loss = nn.functional.cross_entropy(out, y) / accum
    scaler.scale(loss).backward()
    if (i + 1) % accum == 0:
        scaler.unscale_(opt)
        n = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)
    losses.append(round(loss.item(), 1))
print(losses, out.dtype, loss.dtype, scaler.get_scale(), net[0].weight.dtype, torch.isfinite(n))
print(
    sorted(scaler.state_dict()),
    scaler.is_enabled(),
    scaler.get_growth_factor(),
    scaler.get_backoff_factor(),
    scaler.get_growth_interval(),
)
with torch.autocast("cpu", dtype=torch.bfloat16):
    a = torch.ones(2, 2)
    print(
        (a @ a).dtype,
        (a + a).dtype,
        a.softmax(-1).dtype,
        nn.functional.mse_loss(a.bfloat16(), a.bfloat16()).dtype,
        torch.is_autocast_enabled("cpu") if True else 0,
        a.sum().dtype,
    )
    with torch.autocast("cpu", enabled=False):
        print((a @ a).dtype, (a.bfloat16() @ a.bfloat16()).dtype)
print(torch.is_autocast_cpu_enabled(), torch.get_autocast_dtype("cpu"))


@torch.autocast("cpu", dtype=torch.bfloat16)
def fwd(m, v):
    return m(v)


print(fwd(net, x).dtype)
ctx = contextlib.nullcontext() if device.type == "cpu" else torch.amp.autocast("cuda")
with ctx:
    print(net(x).dtype)
ctx2 = torch.amp.autocast(device_type="cpu", dtype=torch.bfloat16)
for _ in range(2):
    with ctx2:
        r = net[0](x)
print(r.dtype)
scaler2 = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1)
p = nn.Parameter(torch.ones(2))
o = torch.optim.SGD([p], lr=1.0)
for g in (1.0, float("inf"), 2.0):
    o.zero_grad()
    scaler2.scale((p * g).sum()).backward()
    scaler2.step(o)
    before = scaler2.get_scale()
    scaler2.update()
    print(
        before,
        "->",
        scaler2.get_scale(),
        p.data,
        "skipped" if scaler2.get_scale() < before else "stepped",
    )
sd = scaler2.state_dict()
s3 = torch.amp.GradScaler("cpu")
s3.load_state_dict(sd)
print(s3.get_scale(), sd)
h = net.half()
print(
    {q.dtype for q in h.parameters()},
    h.float()[0].weight.dtype,
    net.to(torch.bfloat16)(x.bfloat16()).dtype,
    net.double()(x.double()).dtype,
)
try:
    net(x)
except RuntimeError as e:
    print("dtype mismatch", type(e).__name__ in dir(__builtins__) or True)
print(
    torch.finfo(torch.bfloat16).eps,
    torch.finfo(torch.half).max,
    torch.finfo(torch.float16),
    torch.iinfo(torch.int8),
    torch.tensor(70000.0).half(),
    torch.tensor(1.001).bfloat16(),
)
from torch.cuda.amp import GradScaler as OldScaler
from torch.cuda.amp import autocast as old_autocast

with old_autocast(enabled=False):
    print(net.float()(x).dtype)
s = OldScaler(enabled=False)
l = net(x).sum()
s.scale(l).backward()
s.step(opt)
s.update()
print(s.get_scale(), s.state_dict(), s.is_enabled())

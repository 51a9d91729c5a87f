"""Mixed precision on the CPU: autocast bf16, GradScaler, custom_fwd, master weights, dtype promotion tables."""

import warnings
from contextlib import nullcontext
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.amp import GradScaler, autocast, custom_bwd, custom_fwd


class Mul(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


class NativeScaler:
    state_dict_key = "amp_scaler"

    def __init__(self, enabled=True):
        self._scaler = GradScaler("cpu", init_scale=2.0**10, growth_interval=3, enabled=enabled)

    def __call__(self, loss, optimizer, clip_grad=None, parameters=None, need_update=True):
        self._scaler.scale(loss).backward()
        if not need_update:
            return None
        if clip_grad is not None:
            self._scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(parameters, clip_grad)
        self._scaler.step(optimizer)
        self._scaler.update()
        return self._scaler.get_scale()

    def state_dict(self):
        return self._scaler.state_dict()


def build():
    m = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 2))
    for i, p in enumerate(m.parameters()):
        if p.ndim > 1:
            p.data.copy_(torch.sin(torch.arange(p.numel()) * 0.9 + i).view_as(p) * 0.3)
    for l in (m[0], m[3]):
        nn.init.zeros_(l.bias)
    return m


cfg = SimpleNamespace(dtype="bfloat16", steps=6, lr=1e-2)
ptdtype = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[
    cfg.dtype
]
ctx = nullcontext() if ptdtype == torch.float32 else autocast(device_type="cpu", dtype=ptdtype)
x = torch.cos(torch.arange(12 * 8.0)).view(12, 8)
y = torch.arange(12) % 2
model = build()
with ctx:
    h = model[0](x)
    out = model(x)
    loss = F.cross_entropy(out, y)
    print(h.dtype, model[1](h).dtype, out.dtype, loss.dtype, torch.is_autocast_enabled("cpu"))
    with torch.autocast("cpu", enabled=False):
        print("inner disabled", (h.float() @ h.float().t()).dtype)
    print(
        torch.mm(x, x.t()).dtype,
        (x + x).dtype,
        Mul.apply(h, h).dtype,
        torch.get_autocast_dtype("cpu"),
    )
print("close to fp32", torch.allclose(model(x), out.float(), atol=5e-2), out.requires_grad)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
scaler = NativeScaler()
scales, l0 = [], None
for i in range(cfg.steps):
    with autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(model(x), y)
    l0 = l0 or loss.item()
    opt.zero_grad()
    scales.append(scaler(loss, opt, clip_grad=1.0, parameters=model.parameters()))
print("scales", scales, loss.item() < l0)
sd = scaler.state_dict()
print({k: sd[k] for k in ("scale", "growth_factor", "backoff_factor", "growth_interval")})
w_before = model[3].weight.detach().clone()
opt.zero_grad()
scaler._scaler.scale(F.cross_entropy(model(x), y)).backward()
model[3].weight.grad[0, 0] = float("inf")
scaler._scaler.step(opt)
scaler._scaler.update()
print("inf skipped step", torch.equal(w_before, model[3].weight), scaler._scaler.get_scale())
print(
    "disabled scale",
    GradScaler("cpu", enabled=False).scale(torch.tensor(2.0)),
    NativeScaler(False)._scaler.is_enabled(),
)
half = build().to(torch.bfloat16)
master = [p.detach().clone().float().requires_grad_() for p in half.parameters()]
mo = torch.optim.SGD(master, lr=0.1)
half(x.bfloat16()).float().pow(2).mean().backward()
for m, p in zip(master, half.parameters()):
    m.grad = p.grad.float()
mo.step()
with torch.no_grad():
    for m, p in zip(master, half.parameters()):
        p.copy_(m)
print({p.dtype for p in half.parameters()}, {m.dtype for m in master})
for name in ("float16", "bfloat16", "float32", "float64"):
    fi = torch.finfo(getattr(torch, name))
    print(f"{name:9s} bits={fi.bits} eps={fi.eps:.3g} max={fi.max:.4g} tiny={fi.tiny:.3g}")
print(torch.iinfo(torch.int16).max, torch.iinfo(torch.uint8))
print(
    [
        str(torch.promote_types(a, b))
        for a, b in [
            (torch.int8, torch.uint8),
            (torch.half, torch.bfloat16),
            (torch.long, torch.half),
        ]
    ]
)
print(
    torch.result_type(torch.tensor([1], dtype=torch.int32), 1.5),
    torch.can_cast(torch.float, torch.int),
    (torch.ones(1, dtype=torch.half) + torch.ones((), dtype=torch.double)).dtype,
)
print(
    torch.tensor([1.0009765625, 65504.0]).half(),
    torch.tensor([1 / 3]).bfloat16(),
    torch.tensor(70000.0).half().isinf(),
)
with warnings.catch_warnings(record=True) as rec:
    warnings.simplefilter("always")
    with torch.autocast("cpu", dtype=torch.float64):
        pass
print(
    "warned",
    len(rec) >= 1,
    "|",
    torch.tensor([300, -1]).to(torch.uint8),
    torch.tensor([1.9, -1.9]).to(torch.int32),
)
print(
    torch.tensor([1, 2], dtype=torch.int32).view(torch.uint8), torch.tensor([1.0]).view(torch.int32)
)

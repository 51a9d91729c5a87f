import torch
import torch.nn as nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


device = "cpu"
model = fixed(nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3))).to(
    device
)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(device, enabled=False)
accum = 2
x = torch.sin(torch.arange(48.0)).view(8, 6)
y = torch.arange(8) % 3
seen = []
handle = model[0].register_forward_hook(lambda m, i, o: seen.append(o.dtype))
for step in range(6):
    with torch.autocast(device_type=device, dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.cross_entropy(out.float(), y) / accum
    scaler.scale(loss).backward()
    if (step + 1) % accum == 0:
        scaler.unscale_(opt)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)
        print(step, out.dtype, loss.dtype, "%.1f" % (loss.item() * accum), norm.dtype)
handle.remove()
print(set(seen), scaler.get_scale(), scaler.is_enabled(), scaler.state_dict())
print({p.dtype for p in model.parameters()}, torch.is_autocast_enabled("cpu"))
with torch.autocast("cpu", dtype=torch.bfloat16):
    a = x @ x.t()
    with torch.autocast("cpu", enabled=False):
        c = x @ x.t()
    print(a.dtype, c.dtype, (a + c).dtype, a.softmax(-1).dtype, torch.mm(a, a).dtype)

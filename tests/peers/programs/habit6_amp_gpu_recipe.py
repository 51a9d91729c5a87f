import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
use_amp = device == "cuda"
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.linspace(-0.3, 0.4, p.numel()).view_as(p))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler(device, enabled=use_amp)
data = [torch.linspace(-1, 1, 32).view(4, 8).to(device) * (i + 1) / 3 for i in range(3)]
targets = [torch.ones(4, 2, device=device) * i for i in range(3)]
loss_fn = nn.MSELoss()
for epoch in range(2):
    for x, y in zip(data, targets):
        with torch.autocast(
            device_type=device, dtype=torch.float16 if use_amp else torch.bfloat16, enabled=use_amp
        ):
            output = net(x)
            loss = loss_fn(output.float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)
    print(epoch, round(loss.item(), 2))
checkpoint = {
    "model": net.state_dict(),
    "optimizer": opt.state_dict(),
    "scaler": scaler.state_dict(),
}
print(sorted(checkpoint), len(checkpoint["model"]))
other = torch.amp.GradScaler(device, enabled=use_amp)
other.load_state_dict(checkpoint["scaler"])
print(other.is_enabled() == scaler.is_enabled(), other.get_scale() == scaler.get_scale())
with torch.autocast("cpu", dtype=torch.bfloat16):
    a = torch.ones(2, 3)
    b = torch.ones(3, 2)
    c = a @ b
    print(c.dtype, (c + a[:, :2]).dtype, torch.softmax(c, -1).dtype)
    with torch.autocast("cpu", enabled=False):
        print((a @ b).dtype, (c.float() @ b.t()).dtype)
print((a @ b).dtype, torch.is_autocast_enabled("cpu"))

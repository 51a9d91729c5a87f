import os
import tempfile

import torch
from torch import nn


def make():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    return net, opt, sched


def train(net, opt, sched, steps):
    x = torch.linspace(-1, 1, 8).view(4, 2)
    for _ in range(steps):
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        opt.step()
        sched.step()
    return loss.item()


net, opt, sched = make()
for i, p in enumerate(net.parameters()):
    p.data = torch.sin(torch.arange(p.numel()) + i + 0.5).view_as(p)
print(train(net, opt, sched, 3))
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pth.tar")
torch.save(
    {
        "epoch": 3,
        "state_dict": net.state_dict(),
        "optimizer": opt.state_dict(),
        "scheduler": sched.state_dict(),
    },
    path,
)
straight = train(net, opt, sched, 3)
net2, opt2, sched2 = make()
ckpt = torch.load(path, map_location=torch.device("cpu"))
net2.load_state_dict(ckpt["state_dict"])
opt2.load_state_dict(ckpt["optimizer"])
sched2.load_state_dict(ckpt["scheduler"])
print(ckpt["epoch"], train(net2, opt2, sched2, 3) == straight, straight)
print(list(ckpt["optimizer"]["state"][0].keys()), ckpt["optimizer"]["param_groups"][0]["lr"])
partial = {k: v for k, v in ckpt["state_dict"].items() if k.startswith("0")}
print(net2.load_state_dict(partial, strict=False))
try:
    net2.load_state_dict(partial)
except RuntimeError as e:
    print("RuntimeError", "2.weight" in str(e))
renamed = {"module." + k: v for k, v in ckpt["state_dict"].items()}
net2.load_state_dict({k.replace("module.", ""): v for k, v in renamed.items()})
print(torch.equal(net2[0].weight, ckpt["state_dict"]["0.weight"]))

import os
import tempfile
from pathlib import Path

import torch
from torch import nn


def build():
    net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.cos(torch.arange(float(p.numel())) + i).view_as(p) * 0.3)
    opt = torch.optim.Adam(net.parameters(), lr=0.05)
    sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    return net, opt, sched


def train(net, opt, sched, epochs):
    x = torch.linspace(-1, 1, 10).view(5, 2)
    y = x.prod(1, keepdim=True)
    for _ in range(epochs):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        sched.step()
    return loss.item()


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "ckpt.pth"
    full = build()
    want = train(*full, 6)
    net, opt, sched = build()
    train(net, opt, sched, 3)
    torch.save(
        {
            "epoch": 3,
            "model_state_dict": net.state_dict(),
            "optimizer_state_dict": opt.state_dict(),
            "scheduler": sched.state_dict(),
            "rng": torch.get_rng_state(),
            "best": float("inf"),
            "args": {"lr": 0.05, "names": ["a", "b"]},
        },
        path,
    )
    ck = torch.load(path, weights_only=True)
    net2, opt2, sched2 = build()
    net2.load_state_dict(ck["model_state_dict"])
    opt2.load_state_dict(ck["optimizer_state_dict"])
    sched2.load_state_dict(ck["scheduler"])
    torch.set_rng_state(ck["rng"])
    got = train(net2, opt2, sched2, 6 - ck["epoch"])
    print(
        abs(got - want) < 1e-7,
        sched2.get_last_lr(),
        opt2.state_dict()["state"][0]["step"],
        ck["args"],
        ck["best"],
    )
    torch.save(net.state_dict(), os.path.join(folder, "w.pt"))
    sd = torch.load(os.path.join(folder, "w.pt"), map_location=torch.device("cpu"))
    print(type(sd).__name__, list(sd), sd["0.weight"].device)
    with open(os.path.join(folder, "t.pt"), "wb") as f:
        torch.save(
            [
                torch.arange(3),
                {"a": torch.ones(2, dtype=torch.float64)},
                "text",
                None,
                1.5,
                (True,),
            ],
            f,
        )
    with open(os.path.join(folder, "t.pt"), "rb") as f:
        print(torch.load(f))
    big = torch.arange(100)
    torch.save(big[:2].clone(), path)
    small = os.path.getsize(path)
    torch.save(big[:2], path)
    print(torch.load(path), small > 0)
    a = torch.ones(3)
    torch.save({"a": a, "b": a[1:]}, path)
    back = torch.load(path)
    back["a"][1] = 5
    print(back["b"], back["a"].data_ptr() != back["b"].data_ptr())
    p = nn.Parameter(torch.zeros(2))
    torch.save(p, path)
    q = torch.load(path)
    print(type(q).__name__, q.requires_grad, q.is_leaf)
    r = torch.ones(2, requires_grad=True)
    torch.save(r * 1, path)
    print(torch.load(path))
    try:
        torch.load(Path(folder) / "missing.pt")
    except FileNotFoundError:
        print("missing")
    try:
        (Path(folder) / "bad.pt").write_bytes(b"not a file")
        torch.load(Path(folder) / "bad.pt")
    except Exception as e:
        print("cannot load")

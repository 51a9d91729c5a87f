import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.fc = nn.Linear(2, n)
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        return self.bn(self.fc(x))


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
net(torch.ones(4, 2)).sum().backward()
opt.step()
f = io.BytesIO()
torch.save(
    {"epoch": 3, "model": net.state_dict(), "optim": opt.state_dict(), "loss": torch.tensor(0.5)}, f
)
f.seek(0)
ckpt = torch.load(f, map_location="cpu", weights_only=True)
print(ckpt["epoch"], sorted(ckpt), list(ckpt["model"]))
try:
    nn.DataParallel(Net()).load_state_dict(ckpt["model"])
except RuntimeError as e:
    print("Missing key(s) in state_dict" in str(e), "Unexpected key(s) in state_dict" in str(e))
    print(str(e).splitlines()[0])
stripped = {"module." + k: v for k, v in ckpt["model"].items()}
wrapped = nn.DataParallel(Net())
print(wrapped.load_state_dict(stripped))
partial = {k: v for k, v in ckpt["model"].items() if k.startswith("fc")}
missing, unexpected = Net().load_state_dict(partial, strict=False)
print(missing, unexpected)
own = Net().state_dict()
own.update({k: v for k, v in ckpt["model"].items() if k in own and v.shape == own[k].shape})
resumed = Net()
resumed.load_state_dict(own)
print(
    all(torch.equal(a, b) for a, b in zip(resumed.state_dict().values(), net.state_dict().values()))
)
opt2 = torch.optim.AdamW(resumed.parameters(), lr=1e-1)
opt2.load_state_dict(ckpt["optim"])
print(opt2.param_groups[0]["lr"], int(opt2.state_dict()["state"][0]["step"]))

import io
import os
import tempfile
from collections import OrderedDict

import torch
from torch import nn, optim


class TheModelClass(nn.Module):
    def __init__(self):
        super(TheModelClass, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.bn = nn.BatchNorm2d(6)
        self.fc1 = nn.Linear(6, 4)

    def forward(self, x):
        return self.fc1(self.bn(self.conv1(x)).mean((2, 3)))


model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
print("Optimizer's state_dict:")
for var_name in optimizer.state_dict():
    print(var_name, "\t", optimizer.state_dict()[var_name])
x = torch.linspace(0, 1, 2 * 3 * 36).view(2, 3, 6, 6)
for _ in range(2):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
d = tempfile.mkdtemp()
PATH = os.path.join(d, "ckpt.tar")
torch.save(
    {
        "epoch": 5,
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "loss": torch.tensor(0.4),
        "args": {"lr": 0.1, "names": ["a", "b"]},
    },
    PATH,
)
model2 = TheModelClass()
optimizer2 = optim.SGD(model2.parameters(), lr=0.1)
checkpoint = torch.load(PATH, weights_only=True, map_location="cpu")
print(checkpoint.keys(), checkpoint["epoch"], checkpoint["loss"], checkpoint["args"])
print(model2.load_state_dict(checkpoint["model_state_dict"]))
optimizer2.load_state_dict(checkpoint["optimizer_state_dict"])
print(optimizer2)
print(
    optimizer2.state_dict()["state"][0]["momentum_buffer"].shape,
    optimizer2.state_dict()["param_groups"],
)
print(
    all(
        (
            torch.equal(a, b)
            for a, b in zip(model.state_dict().values(), model2.state_dict().values())
        )
    )
)
sd = model.state_dict()
print(
    type(sd).__name__,
    isinstance(sd, OrderedDict),
    sd["bn.num_batches_tracked"],
    sd._metadata["bn"] if hasattr(sd, "_metadata") else None,
)
print(
    sd["fc1.bias"].requires_grad,
    model.state_dict(keep_vars=True)["fc1.bias"].requires_grad,
    list(model.state_dict(prefix="net."))[:2],
)
new = OrderedDict(
    ((k.replace("module.", ""), v) for k, v in {"module." + k: v for k, v in sd.items()}.items())
)
print(model2.load_state_dict(new))
bad = OrderedDict(sd)
bad["fc1.weight"] = torch.zeros(4, 5)
del bad["bn.weight"]
bad["extra"] = torch.zeros(1)
try:
    model2.load_state_dict(bad)
except RuntimeError as e:
    print("refused")
r = model2.load_state_dict({k: v for k, v in sd.items() if k.startswith("conv")}, strict=False)
print(r, r.missing_keys, r.unexpected_keys)
buf = io.BytesIO()
torch.save([torch.arange(3), {"a": torch.ones(2, dtype=torch.bfloat16)}], buf)
buf.seek(0)
print(torch.load(buf))
buf = io.BytesIO()
t = torch.arange(6).view(2, 3)
torch.save((t, t[0], nn.Parameter(torch.ones(1))), buf)
buf.seek(0)
a, b, p = torch.load(buf)
b[0] = 100
print(a, b, p, type(p))
try:
    torch.load(os.path.join(d, "nothing.pt"))
except FileNotFoundError as e:
    print("refused")
pretrained = {
    k: v
    for k, v in checkpoint["model_state_dict"].items()
    if k in model2.state_dict() and v.size() == model2.state_dict()[k].size()
}
md = model2.state_dict()
md.update(pretrained)
print(len(md), model2.load_state_dict(md, strict=True))
m3 = nn.Linear(2, 2)
m3.load_state_dict({"weight": torch.eye(2), "bias": torch.zeros(2)})
print(m3.weight, m3.bias, m3.state_dict())
try:
    optimizer2.load_state_dict(optim.SGD(m3.parameters(), lr=1).state_dict())
except ValueError as e:
    print("refused")
print(os.path.getsize(PATH) > 1000)

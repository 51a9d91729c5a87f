import copy
import io
from collections import OrderedDict

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
        self.head = nn.Linear(2, classes)
        self.register_buffer("steps", torch.tensor(0))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)


a, b = Net(3), Net(5)
sd = a.state_dict()
print(list(sd), type(sd).__name__, sd._metadata[""] if hasattr(sd, "_metadata") else None)
filtered = {k: v for k, v in sd.items() if not k.startswith("head")}
result = b.load_state_dict(filtered, strict=False)
print(result.missing_keys, result.unexpected_keys)
print(result)
try:
    b.load_state_dict(sd)
except RuntimeError as e:
    print("RuntimeError", "size mismatch" in str(e))
wrapped = OrderedDict(("module." + k, v) for k, v in sd.items())
stripped = OrderedDict((k[7:] if k.startswith("module.") else k, v) for k, v in wrapped.items())
print(a.load_state_dict(stripped))
renamed = {k.replace("backbone.0", "stem"): v for k, v in sd.items()}
r = a.load_state_dict(renamed, strict=False)
print(r.missing_keys, r.unexpected_keys)
buf = io.BytesIO()
torch.save({"epoch": 3, "state": a.state_dict(), "extra": [1, (2, "x")]}, buf)
buf.seek(0)
ck = torch.load(buf, map_location="cpu")
print(
    ck["epoch"], ck["extra"], all(torch.equal(ck["state"][k], v) for k, v in a.state_dict().items())
)
c = copy.deepcopy(a)
with torch.no_grad():
    c.head.weight.zero_()
print(torch.equal(a.head.weight, c.head.weight), sd["head.weight"].requires_grad)
with torch.no_grad():
    sd["head.bias"].fill_(7.0)
print(a.head.bias)
a.head = nn.Linear(2, 10)
print([n for n, p in a.named_parameters() if p.shape[0] == 10])
del a.backbone[1]
print(list(a.state_dict()))
avg = OrderedDict()
models = [nn.Linear(1, 1) for _ in range(3)]
for i, m in enumerate(models):
    nn.init.constant_(m.weight, float(i))
    nn.init.zeros_(m.bias)
for k in models[0].state_dict():
    avg[k] = torch.stack([m.state_dict()[k] for m in models]).mean(0)
models[0].load_state_dict(avg)
print(models[0].weight.item())
m = nn.Linear(2, 2)
m.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, assign=True)
print(m.weight, isinstance(m.weight, nn.Parameter))


def hook(state, prefix, *args):
    for k in list(state):
        if k.startswith(prefix + "old_"):
            state[prefix + k[len(prefix) + 4 :]] = state.pop(k)


m.register_load_state_dict_pre_hook(lambda module, state, prefix, *a: hook(state, prefix))
print(m.load_state_dict({"old_weight": torch.eye(2), "old_bias": torch.ones(2)}), m.weight[0])
opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
m(torch.ones(1, 2)).sum().backward()
opt.step()
od = opt.state_dict()
print(od["param_groups"][0]["params"], sorted(od["state"]), list(od["state"][0]))

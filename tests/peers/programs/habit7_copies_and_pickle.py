import copy
import io
import pickle
import tempfile
from pathlib import Path

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


x = torch.arange(6.0).view(2, 3)
y = pickle.loads(pickle.dumps(x))
print(y, y is x, torch.equal(x, y), y.data_ptr() != x.data_ptr())
p = nn.Parameter(torch.ones(2))
q = copy.deepcopy(p)
print(q, type(q).__name__, q is p, q.requires_grad, pickle.loads(pickle.dumps(p)))
model = fixed(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
twin = copy.deepcopy(model)
shallow = copy.copy(model)
print(
    twin[0].weight is model[0].weight,
    shallow[0] is model[0],
    torch.equal(twin[0].weight, model[0].weight),
)
with torch.no_grad():
    model[0].weight.fill_(0)
print(twin[0].weight.abs().sum() > 0, shallow[0].weight.sum())
optimizer = torch.optim.Adam(twin.parameters(), lr=0.1)
twin(noise(4, 2)).sum().backward()
optimizer.step()
saved = copy.deepcopy(optimizer.state_dict())
print(saved["state"][0]["step"], list(saved["state"][0]), list(saved["param_groups"][0])[:4])
again = torch.optim.Adam(copy.deepcopy(twin).parameters(), lr=0.5)
again.load_state_dict(saved)
print(again.param_groups[0]["lr"], again.state_dict()["state"].keys())
try:
    copy.deepcopy(p * 2)
except RuntimeError as e:
    print("only leaves can be copied")
a = torch.tensor([1, 2, 3])
b, c, d, e = a, a.clone(), a[:], a.detach()
a[0] = 100
print(b[0], c[0], d[0], e[0])
lists = [a, a]
deep = copy.deepcopy(lists)
print(deep[0] is deep[1], deep[0] is a)
base = torch.zeros(4)
views = copy.deepcopy((base, base[1:3]))
views[0][1] = 7
print(views[1])
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "t.pt"
    torch.save((x, x[0]), path)
    u, v = torch.load(path)
    u[0, 0] = 50
    print(v, path.exists())
    torch.save(model.state_dict(), str(path))
    model.load_state_dict(torch.load(str(path), weights_only=True))
    torch.save([1, "a", None, {"k": (True, 2.5)}], path)
    print(torch.load(path))
    with open(path, "wb") as f:
        torch.save(x.to(torch.float16), f)
    with open(path, "rb") as f:
        print(torch.load(f))
    with open(path, "wb") as f:
        pickle.dump({"x": x, "n": 3}, f)
    with open(path, "rb") as f:
        print(pickle.load(f))
for dtype in (torch.bool, torch.int8, torch.bfloat16, torch.complex64):
    t = torch.tensor([0, 1, 1]).to(dtype)
    s = io.BytesIO()
    torch.save(t, s)
    print(torch.load(io.BytesIO(s.getvalue())), pickle.loads(pickle.dumps(t)).dtype)
g = torch.Generator().manual_seed(5)
state = g.get_state()
first = torch.rand(2, generator=g)
g.set_state(state)
print(torch.equal(first, torch.rand(2, generator=g)), state.dtype, g.initial_seed())
print(
    copy.copy(x).data_ptr() == x.data_ptr(),
    x.__deepcopy__({}).shape,
    pickle.loads(pickle.dumps(torch.float32)),
    pickle.loads(pickle.dumps(torch.device("cpu"))),
    pickle.loads(pickle.dumps(torch.Size([1, 2]))),
)
buf = copy.deepcopy(nn.BatchNorm1d(3))
print(
    buf.running_mean,
    buf.num_batches_tracked,
    copy.deepcopy(torch.ones(2, requires_grad=True)).requires_grad,
)

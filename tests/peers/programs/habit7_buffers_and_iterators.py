import torch
import torch.nn as nn

torch.manual_seed(0)


class RunningNorm(nn.Module):
    eps: float

    def __init__(self, n, momentum=0.1, eps=1e-5):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight = nn.Parameter(torch.ones(n))
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("var", torch.ones(n))
        self.register_buffer("steps", torch.tensor(0, dtype=torch.long))
        self.register_buffer("mask", None)
        self.register_buffer("scratch", torch.zeros(1), persistent=False)

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.lerp_(x.mean(0), self.momentum)
                self.var.mul_(1 - self.momentum).add_(x.var(0, unbiased=False), alpha=self.momentum)
                self.steps += 1
            mean, var = x.mean(0), x.var(0, unbiased=False)
        else:
            mean, var = self.mean, self.var
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight

    def extra_repr(self):
        return f"{self.weight.numel()}, momentum={self.momentum}"


m = nn.Sequential(RunningNorm(3), nn.Linear(3, 2))
x = torch.arange(12.0).view(4, 3)
m.train()
y = m[0](x)
print(m, y, m[0].mean, m[0].var, m[0].steps)
m.eval()
print(
    m[0](x)[0],
    list(m.state_dict()),
    [n for n, b in m.named_buffers()],
    [b.dtype for b in m.buffers()],
)
print(m[0].mask, "mask" in m[0].state_dict(), m[0]._buffers.keys())
m.double()
print(m[0].mean.dtype, m[0].steps.dtype, m[0].weight.dtype)
m[0].mean = torch.ones(3)
print(m[0].mean, isinstance(m[0].mean, nn.Parameter), "mean" in dict(m[0].named_buffers()))
m[0].mask = torch.tensor([True])
print(list(m[0].state_dict()))
for name, p in m.named_parameters(prefix="net"):
    print(name, tuple(p.shape))
print(
    [n for n, _ in m.named_parameters(recurse=False)],
    [n for n, _ in m[1].named_parameters(recurse=False)],
)
print(
    dict(m.named_children()).keys(),
    [type(c).__name__ for c in m.children()],
    next(m.parameters()).shape,
)
print(
    m.get_buffer("0.mean"),
    [n for n, _ in m.named_modules(prefix="top")],
    len(list(m.named_modules())),
)
print({n: type(mod).__name__ for n, mod in m.named_modules()})
state = m.state_dict()
state["0.steps"] += 5
print(m[0].steps, m[0].steps.item(), int(m[0].steps) + 1)
bn = nn.BatchNorm1d(3, momentum=None, affine=False)
for i in range(3):
    bn(x + i)
print(bn.running_mean, bn.num_batches_tracked, bn, bn.weight)
bn.reset_running_stats()
print(bn.running_mean, nn.BatchNorm1d(2, track_running_stats=False).running_mean)
try:
    m[0].register_buffer("mean", torch.zeros(1))
except KeyError as e:
    print("already exists")
try:
    m[0].register_buffer("weight", torch.zeros(1))
except KeyError as e:
    print("already exists")
try:
    m[0].mean = "text"
except TypeError as e:
    print("cannot assign")
m.register_buffer("extra", torch.ones(2))
print([n for n, _ in m.named_buffers()][-1], m.extra)
m.to(torch.float16)
print(
    sorted({str(t.dtype) for t in m.state_dict().values()}), m.type(torch.float32)[1].weight.dtype
)
m._apply(lambda t: t * 0 if t.is_floating_point() else t)
print(sum(p.sum() for p in m.parameters()).item(), m[0].steps)
print(
    sorted(
        set(dir(nn.Linear(1, 1))) & {"in_features", "weight", "forward", "train", "cuda", "half"}
    ),
    vars(nn.Linear(1, 1))["in_features"],
)
print(
    nn.Linear(1, 1).__dict__.keys() >= {"training", "_parameters", "_buffers", "_modules"},
    isinstance(m, nn.Module),
)

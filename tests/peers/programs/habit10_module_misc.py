import types
import weakref
from typing import Dict, List, Optional

import torch
import torch.nn as nn


class Scale(nn.Module):
    __constants__ = ["k"]
    weight: torch.Tensor
    opt: Optional[nn.Module]

    def __init__(self, k, *, bias=True, device=None, dtype=None):
        fk = {"device": device, "dtype": dtype}
        super().__init__()
        self.k = k
        self.weight = nn.Parameter(torch.ones(k, **fk))
        if bias:
            self.bias = nn.Parameter(torch.empty(k, **fk))
            nn.init.zeros_(self.bias)
        else:
            self.register_parameter("bias", None)
        self.register_buffer("count", torch.zeros((), dtype=torch.long))
        self.opt = None

    def forward(self, x):
        self.count += 1
        y = x * self.weight
        return y if self.bias is None else y + self.bias

    def extra_repr(self):
        return "k={k}, bias={}".format(self.bias is not None, **self.__dict__)

    def __len__(self):
        return self.k


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Scale(2)
        self.b = self.a
        self.c = Scale(2, bias=False, dtype=torch.float64)
        self._hidden = [Scale(1)]
        self.alpha: float = 0.5

    def forward(self, x: torch.Tensor, *, scale: float = 1.0) -> Dict[str, torch.Tensor]:
        return {"y": self.b(self.a(x)) * scale, "n": self.a.count.clone()}

    @property
    def device(self):
        return next(self.parameters()).device

    @staticmethod
    def loss(o):
        return o["y"].sum()


m = Shared()
print(m, len(m.a))
print(
    [n for n, _ in m.named_parameters()],
    [n for n, _ in m.named_parameters(remove_duplicate=False)],
    [n for n, _ in m.named_modules()],
    list(m.state_dict()),
    len(list(m.parameters())),
)
o = m(torch.ones(2), scale=2.0)
m.loss(o).backward()
print(
    o,
    m.device,
    m.a.weight.grad,
    m.a.bias.grad,
    [n for n, _ in m.named_buffers()],
    [p.dtype for p in m.buffers()],
)
print({k: v.dtype for k, v in m.to(torch.float16).state_dict().items()})
m.float()
print(
    [n for n, p in m.named_parameters(prefix="net", recurse=True)],
    [n for n, _ in m.a.named_parameters(recurse=False)],
    m.a._get_name(),
    type(m.a).__name__,
)
m._apply(lambda t: t * 2 if t.is_floating_point() else t)
print(m.a.weight, m.c.weight)
m.apply(lambda mod: print("apply", mod.__class__.__name__))
m.forward = types.MethodType(lambda self, x: x + self.alpha, m)
print(m(torch.zeros(1)), m.__call__(torch.zeros(1)), callable(m), m.a.forward(torch.ones(2)))
m.a.extra_repr = lambda: ""
del m.a.bias
print(
    hasattr(m.a, "bias"),
    "bias" in m.a._parameters,
    getattr(m.a, "nope", "default"),
    m.a.__dict__.keys() >= {"training", "_parameters", "_buffers", "_modules"},
)
delattr(m, "c")
m.add_module("c", nn.ReLU())
print(
    dict(m.named_children()),
    m.get_buffer("a.count"),
    m.get_extra_state() if False else "",
    dir(m).count("a"),
)
m.d = nn.Parameter(torch.zeros(1))
m.d = None
print(m._parameters, m.d)
m.d = nn.Parameter(torch.ones(2))
m.d.data = torch.arange(3.0)
m.d.requires_grad_(False)
print(m.d, m.d.shape)
try:
    m.e = 3
    m.register_buffer("e", torch.ones(1))
except KeyError as e:
    print(e)
try:
    m.register_buffer("x.y", torch.ones(1))
except KeyError as e:
    print(e)
try:
    m.register_parameter("z", torch.ones(1))
except TypeError as e:
    print("TypeError")
try:
    m.add_module("w", 3)
except TypeError as e:
    print(e)
try:
    m.register_parameter("z", nn.Parameter(torch.ones(1)) * 2)
except (ValueError, TypeError) as e:
    print("refused non-leaf")
try:
    nn.Linear("a", 2)
except TypeError as e:
    print("TypeError")
try:
    nn.Linear(2, 2)(torch.ones(2), 3)
except TypeError as e:
    print("TypeError")
r = weakref.ref(m)
print(
    r() is m,
    m.training,
    m.eval().training,
    hash(m) == hash(m),
    m == m,
    m in {m},
    bool(nn.Sequential()),
    len(nn.Sequential()),
)
tied = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
tied[1].weight = tied[0].weight
print(
    len(list(tied.parameters())), len(tied.state_dict()), sum(p.numel() for p in tied.parameters())
)
tied(torch.ones(1, 2)).sum().backward()
print(
    tied[0].weight.grad.equal(tied[1].weight.grad),
    tied[-1] is tied[1],
    [*tied] == list(tied),
    nn.Linear(2, 2) in tied,
)
s = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Dropout(0.5)))
for n, mod in s.named_modules():
    print(repr(n), mod.__class__.__name__)
for mod in s.modules():
    if isinstance(mod, nn.Dropout):
        mod.p = 0.1
        mod.train()
print(s, s[1][1].p, sum(1 for _ in s.modules()), s.__class__(s[0]))
s.register_forward_pre_hook(lambda mod, i: print("pre", i[0].shape))
h = s.register_forward_hook(lambda mod, i, o: o * 0)
print(s(torch.ones(1, 2)), h.id in s._forward_hooks)
s.requires_grad_(False)
print(
    any(p.requires_grad for p in s.parameters()),
    s.zero_grad(),
    s.share_memory() is s,
    s.type(torch.float64)[0].weight.dtype,
    s.bfloat16()[0].bias.dtype,
    s.cpu() is s,
    s.to_empty(device="cpu") is s,
)

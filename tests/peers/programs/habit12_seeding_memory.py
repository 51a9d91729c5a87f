"""Generators, seeds and memory questions (only properties are printed)."""

import copy

import torch
import torch.nn as nn

# 1. reproducibility
torch.manual_seed(0)
a = torch.rand(3)
torch.manual_seed(0)
b = torch.rand(3)
print(
    "same seed same numbers:", torch.equal(a, b), "next differ:", not torch.equal(a, torch.rand(3))
)
print(
    torch.initial_seed(),
    isinstance(torch.seed(), int),
    isinstance(torch.manual_seed(5), torch.Generator),
    torch.initial_seed(),
)

# 2. state
st = torch.get_rng_state()
print(st.dtype, st.ndim, st.is_contiguous())
a = torch.randn(2, 2)
torch.set_rng_state(st)
print("restored:", torch.equal(a, torch.randn(2, 2)))

# 3. own generator does not disturb the global one
torch.manual_seed(1)
g = torch.Generator().manual_seed(1)
x = torch.rand(4, generator=g)
print("independent but equal streams:", torch.equal(x, torch.rand(4)), g.device, g.initial_seed())
g2 = torch.Generator()
g2.set_state(g.get_state())
print(torch.equal(torch.randperm(10, generator=g), torch.randperm(10, generator=g2)))
with torch.random.fork_rng():
    torch.rand(100)
after = torch.rand(1)
torch.manual_seed(1)
torch.rand(4)
print("fork_rng leaves no trace:", torch.equal(after, torch.rand(1)))

# 4. shapes and ranges
u, r, n = torch.rand(1000), torch.randint(3, 7, (1000,)), torch.randn(2, 3, dtype=torch.double)
print(
    bool((u >= 0).all() and (u < 1).all()),
    r.unique().tolist(),
    r.dtype,
    n.dtype,
    torch.rand_like(n).shape,
)
print(
    sorted(torch.randperm(5).tolist()),
    torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1),
    torch.bernoulli(torch.tensor([0.0, 1.0])),
    torch.normal(torch.zeros(2), 0.0),
    torch.empty(2).uniform_(3, 3),
)
try:
    torch.multinomial(torch.ones(2), 3)
except RuntimeError:
    print("cannot sample more than the population without replacement")
print(
    len(set(torch.multinomial(torch.ones(4), 4).tolist())),
    torch.empty(3).exponential_().ge(0).all(),
    torch.randint(5, (2,)).shape,
    torch.poisson(torch.zeros(2)),
)

# 5. same init for two models
torch.manual_seed(3)
m1 = nn.Linear(2, 2)
torch.manual_seed(3)
m2 = nn.Linear(2, 2)
print("same init:", torch.equal(m1.weight, m2.weight), torch.equal(m1.bias, copy.deepcopy(m1).bias))
m1.reset_parameters()
print("reset changes:", not torch.equal(m1.weight, m2.weight))

# 6. how much memory?
t = torch.zeros(10, 20, dtype=torch.float64)
print(
    t.element_size(),
    t.nelement(),
    t.element_size() * t.nelement(),
    t.nbytes,
    t.untyped_storage().nbytes(),
    t.storage_offset(),
)
s = t[:, :2]
print(
    s.nbytes,
    s.untyped_storage().nbytes(),
    s.clone().untyped_storage().nbytes(),
    s.contiguous().untyped_storage().nbytes(),
)
e = torch.zeros(1).expand(1000, 1000)
print(e.nbytes, e.untyped_storage().nbytes(), e.numel())
mb = lambda m: sum(p.nbytes for p in m.parameters()) + sum(b.nbytes for b in m.buffers())
print(mb(nn.Linear(10, 10)), mb(nn.BatchNorm1d(4)), mb(nn.Linear(10, 10).half()), mb(nn.ReLU()))
st = torch.arange(4).untyped_storage()
print(type(st).__name__, st.nbytes(), len(st), st.device, st[0], st.is_shared())

# 7. who shares memory with whom?
base = torch.arange(6)
same = lambda p, q: p.untyped_storage().data_ptr() == q.untyped_storage().data_ptr()
for name, o in {
    "view": base.view(2, 3),
    "slice": base[2:],
    "index": base[[0, 1]],
    "mask": base[base > 2],
    "detach": base.detach(),
    "to same": base.to(torch.int64),
    "to float": base.float(),
    "reshape": base.reshape(3, 2),
    "T copy": base.view(2, 3).T.reshape(-1),
    "tensor()": base.clone().detach(),
    "copy": copy.copy(base),
    "deepcopy": copy.deepcopy(base),
}.items():
    print(f"{name:<9} shares={same(base, o)} same_object={o is base}")

# 8. empty and meta tensors
m = torch.empty(1000, 1000, device="meta")
print(m.shape, m.device, (m @ m).shape, m.is_meta, nn.Linear(5, 5, device="meta").weight.device)
try:
    m.tolist()
except (RuntimeError, NotImplementedError):
    print("meta tensors hold no data")
print(
    torch.empty(0).sum(),
    torch.empty(0, 3).max(dim=1).values.shape,
    bool(torch.empty(2, 0).numel()),
    len(torch.empty(0, 5)),
)

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)


def make(s):
    m = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
    for i, p in enumerate(m.parameters()):
        p.data = torch.sin(torch.arange(p.numel()).float() + i + s).view(p.shape)
    return m


model = make(0)
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}
X = torch.linspace(-1, 1, 10).view(5, 2)
Y = torch.tensor([0, 1, 2, 0, 1])


def compute_loss(params, buffers, sample, target):
    out = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return F.cross_entropy(out, target.unsqueeze(0))


ft = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
psg = ft(params, buffers, X, Y)
print({k: tuple(v.shape) for k, v in psg.items()})
F.cross_entropy(model(X), Y).backward()
print(all(torch.allclose(psg[k].mean(0), p.grad, atol=1e-5) for k, p in model.named_parameters()))
norms = torch.stack([g.flatten(1).norm(dim=1) for g in psg.values()], 1).norm(dim=1)
print(norms)
clip = (1.0 / norms).clamp(max=1.0)
print("DP grad", torch.einsum("n,n...->...", clip, psg["2.bias"]) / 5)
g, l = grad_and_value(compute_loss)(params, buffers, X[0], Y[0])
print(l, list(g))
models = [make(i) for i in range(3)]
sp, sb = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
ens = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(sp, sb, X)
print(ens.shape, torch.allclose(ens[1], models[1](X), atol=1e-6))
print(ens.mean(0)[0], sp["0.weight"].shape)
f = lambda x: torch.stack([x[0] ** 2 * x[1], 5 * x[0] + torch.sin(x[1])])
x0 = torch.tensor([2.0, 1.0])
print(jacrev(f)(x0))
print(
    torch.allclose(jacrev(f)(x0), jacfwd(f)(x0)),
    torch.equal(jacrev(f)(x0), torch.autograd.functional.jacobian(f, x0)),
)
rosen = lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
print(hessian(rosen)(torch.tensor([1.0, 1.0])))
out, tang = jvp(f, (x0,), (torch.tensor([1.0, 0.0]),))
print(out, tang)
out, fn = vjp(f, x0)
print(fn(torch.tensor([1.0, 2.0])))
hvp = lambda f, x, v: jvp(grad(f), (x,), (v,))[1]
print(hvp(rosen, x0, torch.tensor([1.0, -1.0])))
bj = vmap(jacrev(model))(X)
print(bj.shape, bj[0, 0])
print(vmap(torch.dot)(X, X), vmap(lambda a, b: a @ b, in_dims=(1, None))(X, torch.ones(5)))
pair = vmap(vmap(lambda a, b: (a - b).pow(2).sum(), (None, 0)), (0, None))(X, X)
print(torch.allclose(pair.sqrt(), torch.cdist(X, X), atol=1e-3))
x = torch.linspace(0, 1, 3)
print(vmap(grad(grad(lambda t: torch.sin(t) * t)))(x))
ntk = lambda: sum(
    torch.einsum("noa,moa->nm", j.flatten(2), j.flatten(2))
    for j in vmap(jacrev(lambda p, x: functional_call(model, p, (x,))), (None, 0))(
        params, X
    ).values()
)
K = ntk()
print(K.shape, torch.allclose(K, K.T, atol=1e-4), K[0, :2])

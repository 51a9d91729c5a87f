import copy
from functools import partial

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

torch.manual_seed(0)


def seq(*shape, scale=0.5, k=1.0):
    n = 1
    for s in shape:
        n *= s
    return scale * torch.sin(k * torch.arange(1, n + 1, dtype=torch.float32)).reshape(shape)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight, bias, x = seq(D, D), seq(D, k=2.0), seq(D, k=3.0)


def compute_jac(xp):
    jacobian_rows = [
        torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in torch.eye(D)
    ]
    return torch.stack(jacobian_rows)


xp = x.clone().requires_grad_()
jacobian = compute_jac(xp)
print(jacobian.shape)
print(jacobian[0])
_, vjp_fn = vjp(partial(predict, weight, bias), x)
(ft_jacobian,) = vmap(vjp_fn)(torch.eye(D))
print(torch.allclose(ft_jacobian, jacobian))
print(
    torch.allclose(
        jacrev(predict, argnums=2)(weight, bias, x), jacfwd(predict, argnums=2)(weight, bias, x)
    )
)
jw, jb = jacrev(predict, argnums=(0, 1))(weight, bias, x)
print(jw.shape, jb.shape)
out, tangent = jvp(lambda v: predict(weight, bias, v), (x,), (torch.ones(D),))
print(out, tangent, torch.allclose(tangent, jacobian.sum(1)), sep="\n")
H = hessian(predict, argnums=2)(weight, bias, x)
print(H.shape, f"{H.abs().sum():.4f}")
batch = seq(5, D, k=0.3)
print(vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch).shape)
print(
    torch.autograd.functional.jacobian(lambda a, b: a * b.sum(), (torch.ones(2), torch.arange(3.0)))
)
print(torch.autograd.functional.hessian(lambda v: (v**3).sum(), torch.arange(1.0, 4.0)))
print(
    torch.autograd.functional.vhp(lambda v: v.prod(), torch.tensor([1.0, 2.0, 3.0]), torch.ones(3))
)


# Per-sample gradients
class SimpleMLP(nn.Module):
    def __init__(self, i=6, h=5, o=3):
        super().__init__()
        self.fc1 = nn.Linear(i, h)
        self.fc2 = nn.Linear(h, o)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def make(k):
    m = SimpleMLP()
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(seq(*p.shape, k=k))
    return m


data, targets = seq(8, 2, 3, scale=1.0, k=0.9), torch.arange(8) % 3
model = make(1.1)
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return F.cross_entropy(predictions, target.unsqueeze(0))


ft_compute_sample_grad = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
g = ft_compute_sample_grad(params, buffers, data, targets)
print({k: tuple(v.shape) for k, v in g.items()})
ref = torch.autograd.grad(F.cross_entropy(model(data), targets), tuple(model.parameters()))
print([torch.allclose(g[k].mean(0), r, atol=1e-6) for k, r in zip(g, ref)])
norms = torch.stack([v.flatten(1).norm(dim=1) for v in g.values()]).norm(dim=0)
print(norms)
gv, val = grad_and_value(compute_loss)(params, buffers, data[0], targets[0])
print(f"{val:.4f}", gv["fc2.bias"])

# Model ensembling
models = [make(k) for k in (1.1, 1.7, 2.3)]
eparams, ebuffers = stack_module_state(models)
print({k: tuple(v.shape) for k, v in eparams.items()}, ebuffers)
base_model = copy.deepcopy(models[0]).to("meta")
print(base_model.fc1.weight.device, base_model.fc1.weight.is_meta)


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


preds = vmap(fmodel, in_dims=(0, 0, None))(eparams, ebuffers, data)
print(preds.shape, torch.allclose(preds[2], models[2](data), atol=1e-6))
print(preds.argmax(-1).mode(0).values)
print(
    vmap(torch.dot)(torch.arange(6.0).view(2, 3), torch.ones(2, 3)),
    vmap(torch.sum, in_dims=1)(torch.eye(3)),
)

import torch
import torch.nn as nn
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)


def f(x):
    return torch.sin(x).sum()


x = torch.linspace(0, 1, 4)
print(grad(f)(x))
print(grad(grad(lambda t: t**3))(torch.tensor(2.0)))
print(grad_and_value(f)(x))
print(jacrev(torch.sin)(x).diag())
print(jacfwd(torch.sin)(x).diag())
print(hessian(lambda t: (t**3).sum())(x).diagonal())
out, pull = vjp(torch.exp, x)
print(out, pull(torch.ones(4)))
print(jvp(torch.exp, (x,), (torch.ones(4),)))
print(grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x + 1))
print(grad(lambda a: (a.sum(), a * 2), has_aux=True)(x))

net = nn.Linear(4, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([[0.1, -0.2, 0.3, 0.4]]))
    net.bias.fill_(0.5)
params = {k: v.detach() for k, v in net.named_parameters()}
data = torch.arange(12.0).view(3, 4) / 12
target = torch.tensor([[1.0], [0.0], [2.0]])


def loss(params, x, y):
    pred = functional_call(net, params, (x.unsqueeze(0),))
    return ((pred - y.unsqueeze(0)) ** 2).mean()


per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, data, target)
print({k: v.shape for k, v in per_sample.items()})
print(per_sample["weight"], per_sample["bias"])
print(vmap(torch.dot)(data, data))
print(vmap(lambda a, b: a @ b, in_dims=(0, None))(data, torch.ones(4)))
print(vmap(lambda a: a.sum(), in_dims=1)(data))

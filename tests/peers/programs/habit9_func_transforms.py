import torch
from torch.autograd.functional import hessian as ahess
from torch.autograd.functional import hvp, jacobian
from torch.autograd.functional import jvp as ajvp
from torch.autograd.functional import vjp as avjp
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

f = lambda x: torch.sin(x).sum()
print(
    grad(f)(torch.tensor([0.0, 1.0])),
    grad(grad(lambda x: x**3))(torch.tensor(2.0)),
    grad_and_value(f)(torch.tensor([0.5])),
)
print(
    grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(torch.ones(2), torch.arange(2.0)),
    grad(lambda x: (x.sum(), {"aux": x * 2}), has_aux=True)(torch.ones(2)),
)
print(
    vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3)),
    vmap(lambda x, y: x @ y, in_dims=(0, None))(torch.ones(2, 3, 3), torch.eye(3)).shape,
    vmap(vmap(lambda a: a * 2))(torch.ones(2, 2)),
)
print(
    vmap(lambda x: x.sum(), out_dims=0, in_dims=1)(torch.arange(6.0).view(2, 3)),
    vmap(lambda d: d["a"] + d["b"], in_dims=({"a": 0, "b": None},))(
        {"a": torch.arange(3.0), "b": torch.tensor(1.0)}
    ),
)
W = torch.arange(6.0).view(2, 3)
print(
    jacrev(lambda x: W @ x)(torch.ones(3)),
    jacfwd(lambda x: x**2)(torch.arange(3.0)),
    hessian(lambda x: (x**3).sum())(torch.arange(3.0)),
    jacrev(lambda x, y: x * y, argnums=1)(torch.ones(2), torch.ones(2)),
)
out, vfn = vjp(lambda x: (x.sin(), x.cos()), torch.zeros(2))
print(out, vfn((torch.ones(2), torch.ones(2))))
print(jvp(lambda x: x**2, (torch.arange(3.0),), (torch.ones(3),)))
model = torch.nn.Linear(3, 1)
params = {"weight": torch.ones(1, 3), "bias": torch.zeros(1)}
print(functional_call(model, params, (torch.arange(3.0),)), model.weight.shape)


def loss(p, x, y):
    return ((functional_call(model, p, (x.unsqueeze(0),)) - y) ** 2).mean()


g = vmap(grad(loss), in_dims=(None, 0, 0))(
    params, torch.arange(6.0).view(2, 3), torch.tensor([1.0, 2.0])
)
print({k: (v.shape, v) for k, v in g.items()})
nets = [torch.nn.Linear(2, 1) for _ in range(3)]
for i, n in enumerate(nets):
    torch.nn.init.constant_(n.weight, i)
    torch.nn.init.zeros_(n.bias)
ps, bs = stack_module_state(nets)
print({k: v.shape for k, v in ps.items()}, bs, ps["weight"].squeeze())
base = nets[0]
print(
    vmap(lambda p, x: functional_call(base, p, (x,)), in_dims=(0, None))(ps, torch.ones(4, 2)).shape
)
print(
    jacobian(lambda x: x.exp(), torch.tensor([0.0, 1.0])),
    jacobian(lambda x, y: 2 * x + 3 * y, (torch.ones(2), torch.ones(2))),
    jacobian(lambda x: x.exp().sum(), torch.zeros(2), create_graph=True),
)
print(
    ahess(lambda x: x.pow(3).sum(), torch.ones(2, 1)),
    avjp(lambda x: x.sum(1), torch.ones(2, 2), torch.ones(2)),
    hvp(lambda x: x.pow(3).sum(), torch.ones(2), torch.ones(2)),
    ajvp(lambda x: x.exp(), torch.zeros(2), torch.ones(2)),
)
x = torch.tensor([1.0, 2.0], requires_grad=True)
(gx,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
print(gx, torch.autograd.grad(gx.sum(), x), type(gx.grad_fn).__name__)
print(
    torch.autograd.grad([x.sum(), (x * 2).sum()], x),
    torch.autograd.grad(x * 2, x, grad_outputs=torch.tensor([1.0, 0.0])),
    torch.autograd.grad(x.sum(), [x, torch.ones(1, requires_grad=True)], allow_unused=True),
)
for bad in (
    lambda: torch.autograd.grad(x * 2, x),
    lambda: torch.autograd.grad(x.sum(), torch.ones(1, requires_grad=True)),
    lambda: torch.autograd.grad(torch.ones(1), x),
    lambda: grad(lambda a: a)(torch.ones(2)),
    lambda: vmap(torch.add)(torch.ones(2), torch.ones(3)),
):
    try:
        print(bad())
    except Exception as e:
        print("refused")
y = x * 2
y.sum().backward()
try:
    z = y.exp().sum()
    z.backward()
    z.backward()
except RuntimeError as e:
    print("refused")
with torch.enable_grad():
    print(torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad, torch.is_grad_enabled())


@torch.no_grad()
def ev(v):
    return v * 2


print(ev(x), ev.__name__, x.detach() is x, x.detach().requires_grad, x.data)
try:
    x.add_(1)
except RuntimeError as e:
    print("refused")
try:
    a = x * 1
    b = a.exp()
    b.add_(1)
    b.sum().backward()
except RuntimeError as e:
    print("refused")

import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, stack_module_state, vmap

model = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
for i, p in enumerate(model.parameters()):
    with torch.no_grad():
        p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p))
params = dict(model.named_parameters())


def loss_fn(params, x, y):
    return nn.functional.mse_loss(functional_call(model, params, (x,)), y)


x, y = torch.linspace(-1, 1, 6).unsqueeze(1), torch.linspace(-1, 1, 6).unsqueeze(1).sin()
g = grad(loss_fn)(params, x, y)
print({k: tuple(v.shape) for k, v in g.items()})
inner = {k: p - 0.1 * g[k] for k, p in params.items()}
outer = loss_fn(inner, x, y)
print(outer)
grads = torch.autograd.grad(outer, list(params.values()))
print(grads[0].flatten(), grads[-1])
per_sample = vmap(grad(loss_fn), in_dims=(None, 0, 0))(
    {k: v.detach() for k, v in params.items()}, x.unsqueeze(1), y.unsqueeze(1)
)
print(per_sample["0.weight"].shape, torch.allclose(per_sample["2.bias"].mean(0), g["2.bias"]))
f = lambda t: (t**2).sum() * t[0]
t = torch.tensor([1.0, 2.0])
print(jacrev(lambda t: t**2)(t), hessian(f)(t), grad(f)(t))
print(vmap(torch.dot)(torch.ones(3, 2), torch.arange(6.0).reshape(3, 2)))
print(torch.vmap(lambda a: a.sum())(torch.arange(6.0).reshape(2, 3)))
models = [nn.Linear(2, 1) for _ in range(3)]
ps, bs = stack_module_state(models)
print({k: v.shape for k, v in ps.items()}, len(bs))

import torch
from torch.autograd.functional import hessian, hvp, jacobian, vjp


def f(x):
    return torch.stack([x[0] ** 2 * x[1], 5 * x[0] + torch.sin(x[1])])


def g(x):
    return (x**3).sum() + x[0] * x[1]


x = torch.tensor([1.0, 2.0])
print(jacobian(f, x))
print(hessian(g, x))
print(vjp(f, x, torch.ones(2)))
print(hvp(g, x, torch.tensor([1.0, 0.0])))
a, b = torch.tensor([1.0, 2.0]), torch.tensor(3.0)
print(jacobian(lambda p, q: p * q, (a, b)))
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = (w**4).sum()
(grad,) = torch.autograd.grad(y, w, create_graph=True)
rows = [torch.autograd.grad(gi, w, retain_graph=True)[0] for gi in grad]
print(grad, torch.stack(rows))
grad.norm().backward()
print(w.grad)
print(torch.func.grad(g)(x), torch.func.vmap(torch.dot)(torch.eye(2), torch.ones(2, 2)))
print(torch.func.jacrev(f)(x))

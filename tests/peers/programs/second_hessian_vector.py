import torch

A = torch.tensor([[3.0, 1.0], [1.0, 2.0]])


def f(x):
    return 0.5 * x @ A @ x + (x**4).sum() + torch.sin(x).prod()


x = torch.tensor([0.5, -1.0], requires_grad=True)
v = torch.tensor([1.0, 2.0])
(g,) = torch.autograd.grad(f(x), x, create_graph=True)
(hv,) = torch.autograd.grad(g, x, v, retain_graph=True)
print(g)
print(hv)
rows = [torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)]
print(torch.stack(rows))
print(torch.stack(rows) @ v)

# A product with a vector on the left of the Jacobian, by two passes
w = torch.ones(2, requires_grad=True)
(vjp,) = torch.autograd.grad(torch.exp(x), x, w, create_graph=True)
print(torch.autograd.grad(vjp, w, v)[0])

import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * x**3 - y**2
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(x.grad, y.grad)
print(9 * x**2 == x.grad)
print(-2 * y == y.grad)
print(Q.grad_fn is not None, x.is_leaf, Q.is_leaf)
z = torch.ones(3, requires_grad=True)
w = (z * 2).detach()
print(w.requires_grad, z.requires_grad)
with torch.no_grad():
    print((z * 2).requires_grad)
a = torch.randn(2, 2)
a.requires_grad_(True)
print(a.requires_grad, (a * a).sum().grad_fn.name().startswith("Sum"))

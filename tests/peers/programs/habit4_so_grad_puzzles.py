import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
y.backward(torch.ones_like(y))
print(x.grad)
x.grad = None
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g.sum(), x)
print(h)
a = torch.tensor(2.0, requires_grad=True)
b = a * 3
b.retain_grad()
c = b**2
c.backward()
print(a.grad, b.grad, b.is_leaf, a.is_leaf, c.requires_grad)
with torch.no_grad():
    d = a * 2
print(d.requires_grad, a.detach().requires_grad, a.data)
w = torch.ones(2, requires_grad=True)
for i in range(3):
    loss = (w * (i + 1)).sum()
    loss.backward()
print(w.grad)
w.grad.zero_()
print(w.grad, torch.is_grad_enabled())
J = torch.autograd.functional.jacobian(lambda t: t**2, torch.tensor([1.0, 2.0]))
H = torch.autograd.functional.hessian(lambda t: (t**3).sum(), torch.tensor([1.0, 2.0]))
print(J, H)
z = torch.tensor([0.0], requires_grad=True)
torch.sqrt(z).backward()
print(z.grad)
m = torch.max(x, torch.tensor([2.0, 2.0, 2.0]))
m.sum().backward()
print(x.grad)
u = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
u.abs().sum().backward()
print(u.grad, torch.relu(u), torch.clamp(u, 0))
try:
    v = torch.ones(2, requires_grad=True)
    v += 1
except RuntimeError as e:
    print(str(e)[:40])
print(x.sum().grad_fn.name(), type((x * 2).grad_fn).__name__)

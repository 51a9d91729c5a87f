import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g.sum(), x)
print(h)
J = torch.autograd.functional.jacobian(lambda v: v**2, x)
print(J, torch.autograd.functional.hessian(lambda v: (v**3).sum(), x))
z = torch.tensor([1.0, 2.0], requires_grad=True)
out = z * 2
out.backward(torch.tensor([1.0, 0.1]))
print(z.grad)
z.grad.data.zero_()
out2 = (z**2).sum()
out2.backward(retain_graph=True)
out2.backward()
print(z.grad)
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(1.0)
print(torch.autograd.grad(a * b, [a], allow_unused=True), (a * b).grad_fn is not None, b.grad_fn)
with torch.set_grad_enabled(False):
    print((a * 2).requires_grad, torch.is_grad_enabled())
with torch.inference_mode():
    print((a * 2).requires_grad, torch.is_inference_mode_enabled())


@torch.no_grad()
def evaluate(v):
    return v * 2


print(evaluate(a).requires_grad, a.detach().cpu().numpy())
x.grad = None
torch.autograd.backward([x.sum(), (x * 2).sum()])
print(x.grad)

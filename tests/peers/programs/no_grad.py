import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
print(y, y.requires_grad, y.detach(), y.detach().requires_grad, y.is_leaf, x.is_leaf)
with torch.no_grad():
    print(x * 3, torch.is_grad_enabled())
with torch.inference_mode():
    print((x * 2).requires_grad)
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)


@torch.no_grad()
def double(v):
    return 2 * v


print(double(x), x.data, x.detach().numpy(), y.grad_fn is not None, y.data.tolist())
y.sum().backward()
print(x.grad, x.grad.requires_grad)
x.requires_grad_(False)
print(x, (x * 2).requires_grad)

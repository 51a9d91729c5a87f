import torch

a = torch.ones(3)
b = a
b += 1
print(a, a is b, a.data_ptr() == b.data_ptr())
a.add_(2).mul_(3).sub_(1).div_(2).pow_(2)
print(a)
a.zero_()
a.fill_(4).sqrt_().exp_().log_().neg_().abs_()
print(a)
a[1:].copy_(torch.tensor([5.0, 6.0]))
print(
    a, a.clone().uniform_(0, 1).max() < 1, a.clone().normal_().shape, torch.empty(2).bernoulli_(1.0)
)
x = torch.tensor([1.0], requires_grad=True)
try:
    x.add_(1)
except RuntimeError as e:
    print("leaf", type(e).__name__)
with torch.no_grad():
    x.add_(1)
x.data *= 2
print(x, x._version >= 0, x.detach().requires_grad)
y = x.exp()
y.mul_(2)
try:
    y.sum().backward()
except RuntimeError:
    print("modified in place")
t = torch.zeros(2, 2)
t.t_()
t.unsqueeze_(0)
t.squeeze_()
torch.add(t, 1, out=t)
print(
    t, t.resize_(4), t.lerp_(torch.ones(4) * 3, 0.5), t.addcmul_(t, t, value=0.1), t.clamp_(max=2.1)
)
t.set_(torch.arange(3.0))
print(t)

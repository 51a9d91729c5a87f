import torch

x = torch.zeros(2, 2)
row = x[0]
row += 1
x.add_(1).mul_(2)
print(x, row, x.data_ptr() == row.data_ptr())
y = x.t()
y[0, 1] = 50
print(x, x.view(-1), x.reshape(4)[1])
z = x.clone()
z.zero_()
print(x.sum(), z, x.copy_(torch.ones(2, 2)), x.clamp_(max=0.5), x.sub_(0.5), x.fill_(3).div_(2))
w = torch.tensor([1.0, 2.0], requires_grad=True)
u = w * 2
u[0] = 0
u.sum().backward()
print(w.grad)
a = torch.ones(2)
b = a
a = a + 1
print(a, b)

import torch
import torch.nn.functional as F
from torch import autograd, nn


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(float(p.numel())) + i).view_as(p) * 0.4)
    return m


critic = fill(
    nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1),
        nn.LeakyReLU(0.2),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(8, 1),
    )
)
real = torch.linspace(-1, 1, 32).view(2, 1, 4, 4)
fake = real.flip(-1) * 0.5
eps = torch.tensor([0.3, 0.6]).view(2, 1, 1, 1)
mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
score = critic(mix)
grads = autograd.grad(
    outputs=score,
    inputs=mix,
    grad_outputs=torch.ones_like(score),
    create_graph=True,
    retain_graph=True,
    only_inputs=True,
)[0]
gp = ((grads.view(2, -1).norm(2, dim=1) - 1) ** 2).mean()
loss = critic(fake).mean() - critic(real).mean() + 10 * gp
loss.backward()
print(gp, loss)
for n, p in critic.named_parameters():
    print(n, p.grad.flatten()[:4])

# hessian-vector product by double backward, and newton step
w = torch.tensor([1.0, -2.0], requires_grad=True)
f = (w[0] ** 2 * w[1] + torch.exp(w[0] * w[1])).sum()
(g,) = autograd.grad(f, w, create_graph=True)
v = torch.tensor([0.5, 1.0])
(hv,) = autograd.grad(g @ v, w, retain_graph=True)
print(g, hv)
rows = [autograd.grad(g[i], w, retain_graph=True)[0] for i in range(2)]
H = torch.stack(rows)
print(H, torch.linalg.solve(H, g.detach()))
# third derivative
t = torch.tensor(0.7, requires_grad=True)
y = torch.sin(t)
for _ in range(4):
    (y,) = autograd.grad(y, t, create_graph=True)
    print(y.item())
# jacobian regularisation
net = fill(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2), nn.Softplus()))
x = torch.linspace(0, 1, 6).view(2, 3).requires_grad_()
out = net(x)
reg = 0
for k in range(out.size(1)):
    (gk,) = autograd.grad(out[:, k].sum(), x, create_graph=True)
    reg = reg + gk.pow(2).sum()
reg.backward()
print(reg, net[0].weight.grad)
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
print(
    autograd.grad((a * 2).sum(), [a, b], allow_unused=True),
    autograd.grad((a * 2).sum(), [a, b], materialize_grads=True),
)
print(autograd.grad([a.sum(), (a * b).sum()], [a, b], grad_outputs=[torch.tensor(2.0), None]))
print(torch.autograd.grad(a, a, torch.ones(2, 2), is_grads_batched=True))

import torch
from torch import autograd, nn

D = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
for p in D.parameters():
    p.data = torch.linspace(-1, 1, p.numel()).view(p.size())
real = torch.FloatTensor([[1.0, 2.0], [0.5, -1.0]])
fake = torch.FloatTensor([[0.0, 1.0], [-0.5, 1.0]])
alpha = torch.full((2, 1), 0.3).expand(real.size())
interpolates = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
disc = D(interpolates)
gradients = autograd.grad(
    outputs=disc,
    inputs=interpolates,
    grad_outputs=torch.ones(disc.size()),
    create_graph=True,
    retain_graph=True,
    only_inputs=True,
)[0]
gradients = gradients.view(gradients.size(0), -1)
penalty = ((gradients.norm(2, dim=1) - 1) ** 2).mean() * 10
penalty.backward()
print(penalty, D[0].weight.grad, D[2].bias.grad)
for p in D.parameters():
    p.data.clamp_(-0.01, 0.01)
print(D[0].weight, torch.mean(D(real)) - torch.mean(D(fake)))
one = torch.FloatTensor([1])
minus_one = one * -1
D.zero_grad()
D(real).mean().view(1).backward(minus_one)
print(D[2].bias.grad)

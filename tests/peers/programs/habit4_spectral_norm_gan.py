import torch
from torch import nn
from torch.nn.utils import spectral_norm

torch.manual_seed(0)
D = nn.Sequential(
    spectral_norm(nn.Conv2d(1, 4, 3, stride=2, padding=1)),
    nn.LeakyReLU(0.1),
    nn.Flatten(),
    spectral_norm(nn.Linear(4 * 16, 1)),
)
print(D)
x = torch.linspace(-1, 1, 64).reshape(1, 1, 8, 8)
for _ in range(30):
    out = D(x)
print(out.shape, list(D.state_dict()))
w = D[3].weight
print(round(torch.linalg.matrix_norm(w, 2).item(), 3))
loss = torch.relu(1 - out).mean()
loss.backward()
print(D[3].weight_orig.grad.shape, D[0].weight_u.shape)

"""Transposed convolutions: by hand, as a matrix, and as a decoder that doubles the sizes."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def trans_conv(X, K):
    h, w = K.shape
    Y = torch.zeros((X.shape[0] + h - 1, X.shape[1] + w - 1))
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            Y[i : i + h, j : j + w] += X[i, j] * K
    return Y


X = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
K = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
print(trans_conv(X, K))

X, K = X.reshape(1, 1, 2, 2), K.reshape(1, 1, 2, 2)
tconv = nn.ConvTranspose2d(1, 1, kernel_size=2, bias=False)
tconv.weight.data = K
print(tconv)
print(tconv(X).detach())
tconv = nn.ConvTranspose2d(1, 1, kernel_size=2, padding=1, bias=False)
tconv.weight.data = K
print(tconv(X).detach())
tconv = nn.ConvTranspose2d(1, 1, kernel_size=2, stride=2, bias=False)
tconv.weight.data = K
print(tconv(X).detach())

X = torch.rand(size=(1, 10, 16, 16))
conv = nn.Conv2d(10, 20, kernel_size=5, padding=2, stride=3)
tconv = nn.ConvTranspose2d(20, 10, kernel_size=5, padding=2, stride=3)
print(tconv(conv(X)).shape == X.shape)


def bilinear_kernel(in_channels, out_channels, kernel_size):
    factor = (kernel_size + 1) // 2
    if kernel_size % 2 == 1:
        center = factor - 1
    else:
        center = factor - 0.5
    og = (torch.arange(kernel_size).reshape(-1, 1), torch.arange(kernel_size).reshape(1, -1))
    filt = (1 - torch.abs(og[0] - center) / factor) * (1 - torch.abs(og[1] - center) / factor)
    weight = torch.zeros((in_channels, out_channels, kernel_size, kernel_size))
    weight[range(in_channels), range(out_channels), :, :] = filt
    return weight


conv_trans = nn.ConvTranspose2d(3, 3, kernel_size=4, padding=1, stride=2, bias=False)
conv_trans.weight.data.copy_(bilinear_kernel(3, 3, 4))
img = torch.arange(3 * 4 * 5.0).reshape(1, 3, 4, 5)
out = conv_trans(img)
print(out.shape)
print(out[0, 0])
print(F.interpolate(img, scale_factor=2, mode="bilinear", align_corners=False)[0, 0])


class Decoder(nn.Module):
    def __init__(self, nz=8, ngf=4):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


netG = Decoder()
print(netG)
for p in netG.parameters():
    p.data = torch.cos(torch.arange(float(p.numel()))).reshape(p.shape) * 0.1
noise = torch.from_numpy(np.linspace(-1, 1, 16).astype("float32")).reshape(2, 8, 1, 1)
fake = netG(noise)
print(fake.shape, round(fake.mean().item(), 4))
(fake - 1).pow(2).mean().backward()
for name, p in netG.named_parameters():
    print(name, list(p.shape), f"{p.grad.norm().item():.4f}")
up = nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1, groups=2)
print(up, up(torch.ones(1, 4, 7, 7)).shape)
down = nn.Conv2d(4, 4, 3, stride=2, padding=1)
print(
    nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1)(
        torch.ones(1, 4, 6, 6), output_size=(12, 12)
    ).size()
)

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    parameters_to_vector,
    vector_to_parameters,
)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


layer = nn.Linear(3, 3)
with torch.no_grad():
    layer.weight.copy_(torch.arange(9.0).view(3, 3) / 9)
    layer.bias.zero_()
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer.weight, torch.allclose(layer.weight, layer.weight.T))
layer(torch.ones(1, 3)).sum().backward()
print(layer.parametrizations.weight.original.grad)
layer.weight = torch.ones(3, 3)
print(layer.weight[1], sorted(layer.state_dict()), parametrize.is_parametrized(layer))
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
print(list(layer.state_dict()), type(layer.weight).__name__)
ortho = nn.Linear(3, 3, bias=False)
with torch.no_grad():
    ortho.weight.copy_(torch.arange(9.0).view(3, 3).cos())
parametrize.register_parametrization(ortho, "weight", Skew())
parametrize.register_parametrization(ortho, "weight", MatrixExponential())
X = ortho.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5)
vec = parameters_to_vector(layer.parameters())
print(vec, vec.requires_grad)
vector_to_parameters(torch.arange(12.0), layer.parameters())
print(layer.weight, layer.bias)
layer.weight.grad = torch.full((3, 3), 2.0)
layer.bias.grad = torch.full((3,), -3.0)
print(clip_grad_norm_(layer.parameters(), 1.0), layer.weight.grad[0], layer.bias.grad)
clip_grad_value_(layer.parameters(), 0.1)
print(layer.weight.grad[0], layer.bias.grad)
mask = (layer.weight.abs() > 3).float()
layer.register_buffer("mask", mask)
with torch.no_grad():
    layer.weight.mul_(layer.mask)
layer.weight.register_hook(lambda g: g * mask)
print(layer.weight, int((layer.weight == 0).sum()), sum(p.numel() for p in layer.parameters()))
wn = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2, bias=False))
with torch.no_grad():
    wn.parametrizations.weight.original0.fill_(2.0)
print(wn.weight.norm(dim=1), sorted(wn.state_dict()))
sn = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4), n_power_iterations=20)
print(torch.linalg.matrix_norm(sn.weight, 2) < 1.01)
nn.utils.stateless if False else None
fused = nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1).eval(), nn.BatchNorm2d(1).eval())
print(fused)

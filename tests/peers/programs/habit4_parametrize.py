import torch
import torch.nn.utils.parametrize as parametrize
from torch import nn


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


layer = nn.Linear(3, 3)
with torch.no_grad():
    layer.weight.copy_(torch.arange(9.0).reshape(3, 3))
    layer.bias.zero_()
parametrize.register_parametrization(layer, "weight", Symmetric())
A = layer.weight
print(torch.allclose(A, A.T), A)
print(layer)
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))
print(layer.parametrizations.weight.original)
print(layer(torch.ones(1, 3)))


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


ortho = nn.Linear(3, 3)
with torch.no_grad():
    ortho.weight.copy_(torch.arange(9.0).reshape(3, 3) / 10)
parametrize.register_parametrization(ortho, "weight", Skew())
parametrize.register_parametrization(ortho, "weight", MatrixExponential())
X = ortho.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5)
parametrize.remove_parametrizations(layer, "weight")
print(layer, type(layer).__name__, layer.weight)

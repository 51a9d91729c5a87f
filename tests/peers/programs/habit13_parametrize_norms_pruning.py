import warnings

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
import torch.nn.utils.prune as prune

warnings.filterwarnings("ignore")


def fill_(t, k=1.0):
    with torch.no_grad():
        return t.copy_(torch.sin(torch.arange(t.numel(), dtype=t.dtype) * k + 1).view_as(t))


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


layer = nn.Linear(3, 3)
fill_(layer.weight)
parametrize.register_parametrization(layer, "weight", Symmetric())
A = layer.weight
assert torch.allclose(A, A.T)
print(A)
print(layer)
print(f"Unparametrized:\n{[n for n, _ in layer.named_parameters()]}")
layer.weight = torch.arange(9.0).view(3, 3)
print(layer.weight.tolist())
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))

orth = nn.Linear(3, 3, bias=False)
fill_(orth.weight, 2.0)
parametrize.register_parametrization(orth, "weight", Skew())
parametrize.register_parametrization(orth, "weight", MatrixExponential())
X = orth.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5, f"{torch.det(X):.4f}")
with parametrize.cached():
    print(orth.weight is orth.weight)
parametrize.remove_parametrizations(orth, "weight", leave_parametrized=True)
print(orth, type(orth.weight).__name__, orth.weight.is_leaf)

# --- weight norm, spectral norm
wn = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2), name="weight")
print([(n, tuple(p.shape)) for n, p in wn.named_parameters()])
for p in wn.parameters():
    fill_(p)
print(wn.weight.norm(dim=1), wn.parametrizations.weight.original0.flatten())
old = nn.utils.weight_norm(nn.Linear(4, 2))
print(sorted(n for n, _ in old.named_parameters()))
old = nn.utils.remove_weight_norm(old)
print(sorted(n for n, _ in old.named_parameters()))

lin = nn.Linear(4, 3)
fill_(lin.weight, 1.5)
true_sigma = torch.linalg.matrix_norm(lin.weight.detach(), 2)
sn = nn.utils.parametrizations.spectral_norm(lin, n_power_iterations=50)
for _ in range(3):
    w = sn.weight
sn.eval()
print(f"{true_sigma:.4f} {torch.linalg.svdvals(sn.weight)[0]:.4f}")
print(sorted(sn.state_dict().keys()))

# --- pruning
m = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
for p in m.parameters():
    fill_(p, 0.7)
prune.l1_unstructured(m[0], name="weight", amount=5)
print(list(m[0].named_buffers())[0][0], [n for n, _ in m[0].named_parameters()])
print(m[0].weight_mask)
prune.ln_structured(m[0], name="weight", amount=1, n=2, dim=0)
print(int(m[0].weight_mask.sum()), m[0].weight_mask.sum(dim=1))
prune.remove(m[0], "weight")
print([n for n, _ in m[0].named_parameters()], int((m[0].weight == 0).sum()))
params = ((m[0], "bias"), (m[2], "weight"))
prune.global_unstructured(params, pruning_method=prune.L1Unstructured, amount=0.4)
for mod, name in params:
    z = float(torch.sum(getattr(mod, name) == 0))
    print("Sparsity in {}: {:.2f}%".format(name, 100.0 * z / getattr(mod, name).nelement()))
print(prune.is_pruned(m), m(torch.ones(1, 4)))
prune.custom_from_mask(m[2], name="bias", mask=torch.tensor([0, 1]))
print(m[2].bias, m[2].bias_orig.shape)

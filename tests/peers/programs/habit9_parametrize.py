import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils import parametrizations, prune


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


layer = nn.Linear(3, 3)
with torch.no_grad():
    layer.weight.copy_(torch.arange(9.0).view(3, 3))
parametrize.register_parametrization(layer, "weight", Symmetric())
A = layer.weight
print(torch.allclose(A, A.T), A, layer, sep="\n")
print(
    layer.parametrizations,
    layer.parametrizations.weight[0],
    layer.parametrizations.weight.original,
    parametrize.is_parametrized(layer),
    parametrize.is_parametrized(layer, "bias"),
)
layer.weight = torch.eye(3) * 2
print(
    layer.weight,
    [n for n, _ in layer.named_parameters()],
    type(layer).__name__,
    list(layer.state_dict()),
)
with parametrize.cached():
    print(layer.weight is layer.weight)
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
print(layer, layer.weight)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class Cayley(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("Id", torch.eye(n))

    def forward(self, X):
        return torch.linalg.solve(self.Id + X, self.Id - X)


l2 = nn.Linear(3, 3, bias=False)
l2.weight.data = torch.arange(9.0).view(3, 3) / 10 + 0.05
parametrize.register_parametrization(l2, "weight", Skew())
parametrize.register_parametrization(l2, "weight", Cayley(3))
print(l2, l2.weight, torch.dist(l2.weight.T @ l2.weight, torch.eye(3)) < 1e-05, sep="\n")
opt = torch.optim.SGD(l2.parameters(), lr=0.1)
l2(torch.ones(2, 3)).sum().backward()
opt.step()
print(l2.weight, [(n, p.grad is not None) for n, p in l2.named_parameters()])
sn = parametrizations.spectral_norm(nn.Linear(4, 2))
print(sn, list(sn.state_dict()))
sn.eval()
print(torch.linalg.matrix_norm(sn.weight, 2) < 1.5)
wn = parametrizations.weight_norm(nn.Linear(2, 2))
print(wn, [n for n, _ in wn.named_parameters()], wn.parametrizations.weight.original0.shape)
orth = parametrizations.orthogonal(nn.Linear(3, 3))
print(orth, torch.allclose(orth.weight @ orth.weight.T, torch.eye(3), atol=1e-05))
w_old = torch.nn.utils.weight_norm(nn.Linear(2, 3), name="weight")
print(w_old, [n for n, _ in w_old.named_parameters()], w_old.weight_g.shape)
torch.nn.utils.remove_weight_norm(w_old)
print([n for n, _ in w_old.named_parameters()])
m = nn.Conv2d(1, 2, 2)
m.weight.data = torch.arange(8.0).view(2, 1, 2, 2)
m.bias.data.zero_()
prune.l1_unstructured(m, name="weight", amount=3)
print(
    list(m.named_parameters())[-1],
    list(m.named_buffers()),
    m.weight,
    m._forward_pre_hooks.__len__(),
)
prune.ln_structured(m, "weight", amount=0.5, n=2, dim=0)
print(m.weight_mask.flatten(1), prune.is_pruned(m))
prune.remove(m, "weight")
print(list(dict(m.named_parameters())), m.weight)
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
net[0].weight.data = torch.tensor([[0.1, 0.9], [0.5, -0.7]])
net[1].weight.data = torch.tensor([[0.2, 0.05]])
prune.global_unstructured(
    [(net[0], "weight"), (net[1], "weight")], pruning_method=prune.L1Unstructured, amount=0.5
)
print(net[0].weight, net[1].weight)
print(
    "Sparsity: {:.2f}%".format(
        100.0 * float(torch.sum(net[0].weight == 0)) / float(net[0].weight.nelement())
    )
)


class FooBar(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


FooBar.apply(net[1], "bias")
print(net[1].bias_mask, net[1].bias)
prune.custom_from_mask(nn.Linear(2, 1), "bias", torch.tensor([0.0]))
for bad in (
    lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=10),
    lambda: prune.remove(nn.Linear(2, 2), "weight"),
    lambda: parametrize.register_parametrization(nn.Linear(2, 3), "nope", Symmetric()),
    lambda: prune.random_unstructured(nn.Linear(2, 2), "weight", 1.5),
):
    try:
        bad()
        print("no")
    except Exception as e:
        print("refused")
nn.utils.fusion
bn = nn.BatchNorm2d(2).eval()
f = nn.utils.fusion.fuse_conv_bn_eval(m.eval(), bn)
print(f, torch.allclose(f(torch.ones(1, 1, 3, 3)), bn(m(torch.ones(1, 1, 3, 3)))))

"""Gaussian process regression by hand + kernel PCA / diffusion maps / k-means, all double."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

torch.set_default_dtype(torch.float64)


def rbf(x1: Tensor, x2: Tensor, lengthscale: Tensor, variance: Tensor) -> Tensor:
    d2 = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).pow(2).sum(-1)
    return variance * torch.exp(-0.5 * d2 / lengthscale**2)


@dataclass
class Posterior:
    mean: Tensor
    cov: Tensor

    @property
    def std(self) -> Tensor:
        return self.cov.diagonal().clamp_min(0).sqrt()


class GPRegression(nn.Module):
    def __init__(self, X: Tensor, y: Tensor):
        super().__init__()
        self.register_buffer("X", X)
        self.register_buffer("y", y)
        self.log_ls = nn.Parameter(torch.tensor(0.0))
        self.log_var = nn.Parameter(torch.tensor(0.0))
        self.log_noise = nn.Parameter(torch.tensor(-2.0))

    def extra_repr(self) -> str:
        return f"n={self.X.shape[0]}, d={self.X.shape[1]}"

    def _chol(self):
        K = rbf(self.X, self.X, self.log_ls.exp(), self.log_var.exp())
        K = K + self.log_noise.exp() * torch.eye(len(K))
        L = torch.linalg.cholesky(K)
        alpha = torch.cholesky_solve(self.y[:, None], L)
        return L, alpha

    def nll(self) -> Tensor:
        L, alpha = self._chol()
        return (
            0.5 * (self.y @ alpha).squeeze()
            + L.diagonal().log().sum()
            + 0.5 * len(self.y) * math.log(2 * math.pi)
        )

    @torch.no_grad()
    def predict(self, Xs: Tensor) -> Posterior:
        L, alpha = self._chol()
        Ks = rbf(self.X, Xs, self.log_ls.exp(), self.log_var.exp())
        v = torch.linalg.solve_triangular(L, Ks, upper=False)
        Kss = rbf(Xs, Xs, self.log_ls.exp(), self.log_var.exp())
        return Posterior((Ks.mT @ alpha).squeeze(-1), Kss - v.mT @ v)


X = torch.linspace(-3, 3, 20).unsqueeze(1)
y = torch.sin(2 * X).squeeze() + 0.1 * torch.cos(torch.arange(20.0) * 7)
gp = GPRegression(X, y)
print(gp)
print(f"initial nll {gp.nll():.4f}")
opt = torch.optim.Adam(gp.parameters(), lr=0.1)
for i in range(46):
    opt.zero_grad()
    loss = gp.nll()
    loss.backward()
    opt.step()
    if i % 15 == 0:
        print(
            f"Iter {i:2d} - Loss: {loss.item():.3f}  ls: {gp.log_ls.exp().item():.3f} var: {gp.log_var.exp().item():.3f} noise: {gp.log_noise.exp().item():.4f}"
        )
Xs = torch.tensor([[-2.0], [0.1], [5.0]])
post = gp.predict(Xs)
print([f"{m:.3f}±{s:.3f}" for m, s in zip(post.mean, post.std)])
mvn = torch.distributions.MultivariateNormal(
    torch.zeros(20),
    rbf(X, X, gp.log_ls.exp(), gp.log_var.exp()) + gp.log_noise.exp() * torch.eye(20),
)
print(torch.allclose(-mvn.log_prob(y), gp.nll()), type(mvn).__name__)
H = torch.autograd.functional.hessian(
    lambda z: -torch.distributions.Normal(z[0], z[1].exp()).log_prob(y).sum(),
    torch.tensor([0.1, 0.2]),
)
print(H.shape, (H - H.T).abs().max() < 1e-9, [f"{v:.3f}" for v in torch.linalg.eigvalsh(H)])

# ------- diffusion map of a noisy circle
th = torch.arange(40.0) * (2 * math.pi / 40)
r = 1 + 0.05 * torch.sin(5 * th)
P = torch.stack((r * th.cos(), r * th.sin()), 1)
D2 = torch.cdist(P, P).square()
eps = D2.flatten().kthvalue(D2.numel() // 10)[0]
W = torch.exp(-D2 / eps)
deg = W.sum(1)
S = W / torch.sqrt(deg[:, None] * deg[None, :])
lam, phi = torch.linalg.eigh(S)
lam = lam.flip(0)
print("eigenvalues", [f"{v:.4f}" for v in lam[:5].tolist()])
psi = phi.flip(1)[:, 1:3] / deg.sqrt().unsqueeze(1)
rad = psi.norm(dim=1)
print("embedding is a circle:", (rad.std() / rad.mean() < 0.2).item(), psi.shape)

# ------- pca and k-means
Z = torch.cat(
    [
        torch.stack(
            [
                torch.cos(torch.arange(10.0) + k),
                torch.sin(2 * torch.arange(10.0) + k),
                torch.full((10,), 4.0 * k),
            ],
            1,
        )
        * torch.tensor([0.3, 0.3, 1.0])
        for k in range(3)
    ]
)
Zc = Z - Z.mean(0, keepdim=True)
print("cov", torch.cov(Z.T).diag(), torch.allclose(torch.cov(Z.T), Zc.T @ Zc / 29))
print("corr", torch.corrcoef(Z.T)[0])
U, S, V = torch.pca_lowrank(Zc, q=3, center=False)
print("explained", [f"{v:.4f}" for v in (S**2 / (S**2).sum()).tolist()])
centers = Z[[0, 10, 20]].clone()
for it in range(5):
    assign = torch.cdist(Z, centers).argmin(1)
    new = torch.zeros_like(centers).index_add_(0, assign, Z) / torch.bincount(
        assign, minlength=3
    ).unsqueeze(1)
    shift = (new - centers).norm()
    centers = new
print(assign.tolist(), centers, shift == 0, sep="\n")
torch.set_default_dtype(torch.float32)

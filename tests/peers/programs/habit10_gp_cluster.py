import math

import torch

torch.set_default_dtype(torch.float64)
X = torch.linspace(0, 5, 8).unsqueeze(-1)
y = torch.sin(X).squeeze()
Xs = torch.tensor([[0.5], [2.2], [6.0]])


def rbf(a, b, l=1.0, s=1.0):
    return s**2 * torch.exp(-0.5 * torch.cdist(a, b).pow(2) / l**2)


K = rbf(X, X) + 1e-4 * torch.eye(8)
L = torch.linalg.cholesky(K)
alpha = torch.cholesky_solve(y[:, None], L)
mu = rbf(Xs, X) @ alpha
v = torch.linalg.solve_triangular(L, rbf(X, Xs), upper=False)
cov = rbf(Xs, Xs) - v.T @ v
print(
    mu.squeeze(),
    cov.diag(),
    -0.5 * y @ alpha.squeeze() - L.diagonal().log().sum() - 4 * math.log(2 * math.pi),
)
ll, ls = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([ll, ls], lr=0.1)
for i in range(15):
    opt.zero_grad()
    Kx = rbf(X, X, ll.exp(), ls.exp()) + 1e-4 * torch.eye(8)
    nll = -torch.distributions.MultivariateNormal(torch.zeros(8), Kx).log_prob(y)
    nll.backward()
    opt.step()
print(ll.exp(), ls.exp(), nll)
pts = torch.cat(
    [
        torch.tensor([[0.0, 0.0], [0.1, 0.2], [-0.1, 0.1]]),
        torch.tensor([[5.0, 5.0], [5.2, 4.9], [4.8, 5.1]]),
        torch.tensor([[0.0, 5.0], [0.2, 5.1]]),
    ]
)
cent = pts[[0, 3, 6]].clone()
for _ in range(5):
    d = torch.cdist(pts, cent)
    lab = d.argmin(1)
    cent = torch.stack([pts[lab == k].mean(0) for k in range(3)])
print(lab, cent, d.min(1).values.sum())
c2 = torch.zeros(3, 2).index_add_(0, lab, pts) / torch.bincount(lab)[:, None]
print(torch.allclose(c2, cent))
Xc = pts - pts.mean(0)
U, S, V = torch.svd(Xc)
print(
    S,
    (Xc @ V[:, :1]).abs().flatten(),
    S**2 / (S**2).sum(),
    torch.cov(pts.T),
    torch.linalg.eigh(torch.cov(pts.T))[0].flip(0),
)
nn_d, nn_i = torch.cdist(pts, pts).topk(3, largest=False)
print(nn_i[:, 1:].sort(1)[0], nn_d[:, 1])
pred = torch.mode(lab[nn_i], dim=1).values
print(pred, (pred == lab).all().item())
A = torch.cat([X**k for k in range(4)], 1)
w = torch.linalg.lstsq(A, y).solution if y.dim() > 1 else torch.linalg.lstsq(A, y[:, None]).solution
print(
    w.flatten(),
    torch.linalg.solve(A.T @ A + 0.1 * torch.eye(4), A.T @ y),
    (A @ w).flatten().sub(y).norm(),
)
f = lambda x: x**3 - 2 * x - 5
x = torch.tensor(2.0, requires_grad=True)
for i in range(6):
    fx = f(x)
    (g,) = torch.autograd.grad(fx, x)
    x = (x - fx / g).detach().requires_grad_()
print("newton", x.item(), f"{f(x).item():.1e}")
p = torch.tensor([1.0, 1.0])
g = lambda p: (p[0] - 1) ** 4 + (p[1] + 2) ** 2
for _ in range(4):
    H = torch.autograd.functional.hessian(g, p)
    J = torch.autograd.functional.jacobian(g, p)
    p = p - torch.linalg.pinv(H) @ J
print(p)
pi, mus, sig = torch.ones(2) / 2, torch.tensor([0.0, 4.0]), torch.ones(2)
data = pts.flatten()
for _ in range(10):
    lp = torch.distributions.Normal(mus, sig).log_prob(data[:, None]) + pi.log()
    r = torch.softmax(lp, 1)
    nk = r.sum(0)
    pi, mus = nk / len(data), (r * data[:, None]).sum(0) / nk
    sig = ((r * (data[:, None] - mus) ** 2).sum(0) / nk).sqrt().clamp_min(1e-3)
print(pi, mus, sig, torch.logsumexp(lp, 1).sum())
T = torch.tensor([[0.9, 0.1], [0.5, 0.5]])
print(torch.linalg.matrix_power(T, 50)[0], torch.tensor([1.0, 0.0]) @ T @ T)
W = torch.rand(3, 3).fill_(1.0).tril()
print(W.matrix_exp() if hasattr(W, "matrix_exp") else torch.matrix_exp(W), W.det(), W.inverse())
C = torch.cdist(X, Xs)
logu = torch.zeros(8)
for _ in range(30):
    logv = math.log(1 / 3) - torch.logsumexp(-C / 0.5 + logu[:, None], 0)
    logu = math.log(1 / 8) - torch.logsumexp(-C / 0.5 + logv[None], 1)
plan = (logu[:, None] + logv - C / 0.5).exp()
print("sinkhorn", plan.sum(0), (plan * C).sum())
torch.set_default_dtype(torch.float32)

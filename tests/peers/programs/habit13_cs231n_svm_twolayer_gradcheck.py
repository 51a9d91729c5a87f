"""CS231n / EECS498 style assignment code: vectorised losses and numeric gradients."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
from typing import Callable, Dict

import numpy as np
import torch


def rel_error(x, y, eps=1e-10):
    top = (x - y).abs().max().item()
    bot = (x.abs() + y.abs()).clamp(min=eps).max().item()
    return top / bot


@torch.no_grad()
def compute_numeric_gradient(f: Callable, x: torch.Tensor, dLdf=None, h=1e-6):
    flat_x = x.contiguous().flatten()
    grad = torch.zeros_like(x)
    flat_grad = grad.flatten()
    if dLdf is None:
        dLdf = torch.ones_like(f(x))
    dLdf = dLdf.flatten()
    for i in range(flat_x.shape[0]):
        oldval = flat_x[i].item()
        flat_x[i] = oldval + h
        fxph = f(x).flatten().clone()
        flat_x[i] = oldval - h
        fxmh = f(x).flatten().clone()
        flat_x[i] = oldval
        flat_grad[i] = dLdf.dot((fxph - fxmh) / (2 * h))
    return flat_grad.view_as(x)


def svm_loss_vectorized(W, X, y, reg):
    N = X.shape[0]
    scores = X.mm(W)
    correct = scores.gather(1, y.view(-1, 1))
    margins = (scores - correct + 1).clamp_(min=0)
    margins[torch.arange(N), y] = 0
    loss = margins.sum() / N + reg * (W * W).sum()
    mask = (margins > 0).to(W.dtype)
    mask[range(N), y] = -mask.sum(dim=1)
    dW = X.t().mm(mask) / N + 2 * reg * W
    return loss, dW


def softmax_loss(W, X, y, reg):
    scores = X @ W
    scores -= scores.max(dim=1, keepdim=True)[0]
    p = scores.exp()
    p /= p.sum(1, keepdim=True)
    loss = -p[torch.arange(len(y)), y].log().mean() + reg * W.square().sum()
    p[torch.arange(len(y)), y] -= 1
    return loss, X.T @ p / len(y) + 2 * reg * W


rng = np.random.default_rng(0)
X = torch.from_numpy(rng.standard_normal((15, 6)))
y = torch.from_numpy(rng.integers(0, 4, 15))
W = torch.from_numpy(rng.standard_normal((6, 4)) * 0.1)
print(X.dtype, y.dtype, W.is_contiguous())
for fn in (svm_loss_vectorized, softmax_loss):
    loss, dW = fn(W, X, y, 0.01)
    num = compute_numeric_gradient(lambda w: fn(w, X, y, 0.01)[0], W)
    print(fn.__name__, "%.6f" % loss, "ok" if rel_error(dW, num) < 1e-6 else "BAD")


class BatchNorm(object):
    @staticmethod
    def forward(x, gamma, beta, eps=1e-5):
        mu, var = x.mean(dim=0), x.var(dim=0, unbiased=False)
        xhat = (x - mu) * (var + eps).rsqrt()
        return gamma * xhat + beta, (xhat, gamma, (var + eps).sqrt())

    @staticmethod
    def backward(dgrad, cache):
        xhat, gamma, std = cache
        dxhat = dgrad * gamma
        dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / std
        return dx, (dgrad * xhat).sum(0), dgrad.sum(0)


x, gamma, beta = X.clone(), torch.linspace(0.5, 2, 6).double(), torch.zeros(6).double()
out, cache = BatchNorm.forward(x, gamma, beta)
print(out.mean(0).abs().max() < 1e-12, out.std(0, unbiased=False))
dgrad = torch.cos(torch.arange(90).double()).view(15, 6)
dx, dg, db = BatchNorm.backward(dgrad, cache)
print(
    "dx ok",
    rel_error(
        dx, compute_numeric_gradient(lambda t: BatchNorm.forward(t, gamma, beta)[0], x, dgrad)
    )
    < 1e-6,
)
print(
    "dg ok",
    rel_error(
        dg, compute_numeric_gradient(lambda t: BatchNorm.forward(x, t, beta)[0], gamma, dgrad)
    )
    < 1e-6,
)
print(dg, db.numpy().round(4), sep="\n")
print(
    "F.batch_norm",
    torch.allclose(out, torch.nn.functional.batch_norm(x, None, None, gamma, beta, training=True)),
)
print(
    torch.autograd.gradcheck(
        lambda t: torch.nn.functional.layer_norm(t, (6,)), (x.requires_grad_(),)
    )
)


class TwoLayerNet:
    def __init__(self, D: int, H: int, C: int, std: float = 0.5):
        g = np.random.default_rng(1)
        self.params: Dict[str, torch.Tensor] = {
            "W1": std * torch.tensor(g.normal(size=(D, H))),
            "b1": torch.zeros(H, dtype=torch.float64),
            "W2": std * torch.tensor(g.normal(size=(H, C))),
            "b2": torch.zeros(C, dtype=torch.float64),
        }

    def loss(self, X, y=None, reg=0.0):
        W1, b1, W2, b2 = self.params.values()
        h = (X.mm(W1) + b1).clamp(min=0)
        scores = h.mm(W2) + b2
        if y is None:
            return scores
        p = scores.softmax(1)
        loss = torch.nn.functional.nll_loss(p.log(), y) + reg * (W1.pow(2).sum() + W2.pow(2).sum())
        ds = (p - torch.nn.functional.one_hot(y, p.shape[1])) / X.shape[0]
        dh = ds.mm(W2.t()).masked_fill(h == 0, 0.0)
        return loss, {
            "W1": X.t().mm(dh) + 2 * reg * W1,
            "b1": dh.sum(0),
            "W2": h.t().mm(ds) + 2 * reg * W2,
            "b2": ds.sum(0),
        }


x = x.detach()
net = TwoLayerNet(6, 10, 4)
vel = {k: torch.zeros_like(v) for k, v in net.params.items()}
for it in range(60):
    loss, grads = net.loss(x, y, reg=1e-3)
    for k in net.params:
        vel[k] = 0.9 * vel[k] - 0.1 * grads[k]
        net.params[k] += vel[k]
    if it % 10 == 0:
        print(
            "iteration %d: loss %.4f" % (it, loss),
            {k: round(float(g.norm()), 4) for k, g in grads.items()},
        )
print("train acc:", (net.loss(x).argmax(1) == y).double().mean())
dists = (x.pow(2).sum(1, keepdim=True) - 2 * x @ x.T + x.pow(2).sum(1)).clamp(min=0).sqrt()
knn = dists.fill_diagonal_(float("inf")).topk(3, largest=False, dim=1).indices
print(knn[:3].tolist(), y[knn].mode(dim=1).values)

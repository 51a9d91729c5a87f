"""Derivatives of three orders of operators in a chain, drawn at random, beside torch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

FUNCTIONAL = {torch: torch.nn.functional, gpukit: gpukit.nn.functional}


def at(xp: Any, x: Any, values: Any) -> Any:
    return xp.tensor(values, device=x.device)


def positive(x: Any) -> Any:
    return x.detach() > 0


def assigned(xp: Any, x: Any) -> Any:
    z = x * 1
    z[0] = x[1] * x[2]
    z[1, 1:] = 3.0
    z[at(xp, x, [2, 0]), 1] = x[:2, 0] * x[1:, 3]
    return z


def loss(name: str, *others: Any, **options: Any) -> Callable[[Any, Any], Any]:
    return lambda xp, x: x * getattr(FUNCTIONAL[xp], name)(x, x * x * 0.2, *others, **options)


def layer(name: str, *others: Any) -> Callable[[Any, Any], Any]:
    return lambda xp, x: getattr(FUNCTIONAL[xp], name)(x, *others) * x


def classified(xp: Any, x: Any) -> Any:
    classes, weight = at(xp, x, [1, 0, 3]), at(xp, x, [0.5, 2.0, 1.0, 1.5]).to(x.dtype)
    f = FUNCTIONAL[xp].cross_entropy
    return x * f(x, classes, weight, label_smoothing=0.2) + f(x, classes, ignore_index=0)


# Of a (3, 4) tensor to one that it broadcasts with.
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "tanh": lambda xp, x: x.tanh(),
    "exp": lambda xp, x: (x * 0.3).exp(),
    "sin": lambda xp, x: x.sin(),
    "sigmoid": lambda xp, x: x.sigmoid(),
    "sqrt": lambda xp, x: (x * x + 1).sqrt(),
    "rsqrt": lambda xp, x: (x * x + 1).rsqrt(),
    "log": lambda xp, x: (x * x + 1).log(),
    "erf": lambda xp, x: x.erf(),
    "abs": lambda xp, x: x.abs() * x,
    "pow": lambda xp, x: (x * x + 0.5) ** (x * 0.5),
    "pow of numbers": lambda xp, x: 2.0**x + x**3 * 0.1,
    "hypot": lambda xp, x: xp.hypot(x, x * x + 1),
    "atan2": lambda xp, x: xp.atan2(x, x * x + 1),
    "logaddexp": lambda xp, x: xp.logaddexp(x, x * x * 0.1),
    "remainder": lambda xp, x: xp.remainder(x, 3.7) * x,
    "maximum": lambda xp, x: xp.maximum(x, x.T.reshape(3, 4)),
    "where": lambda xp, x: xp.where(positive(x), x * x, x.sin()),
    "clamp": lambda xp, x: x.clamp(-1.01, 1.01) * x,
    "softmax": lambda xp, x: xp.softmax(x, 1),
    "log_softmax": lambda xp, x: xp.log_softmax(x, 0),
    "logsumexp": lambda xp, x: x - xp.logsumexp(x, 1, True),
    "matmul": lambda xp, x: x @ x.T @ x * 0.1,
    "addmm": lambda xp, x: xp.addmm(x, x @ x.T, x, beta=0.5, alpha=0.1),
    "mv": lambda xp, x: xp.mv(x, x[0]).unsqueeze(1) * x,
    "outer": lambda xp, x: xp.outer(x[:, 0], x[0]),
    "dot": lambda xp, x: xp.dot(x[0], x[1]) * x * 0.1,
    "linear": lambda xp, x: FUNCTIONAL[xp].linear(x, x.T @ x * 0.1, x[0]),
    "einsum": lambda xp, x: xp.einsum("ij,kj,kl->il", x, x, x) * 0.1,
    "cumsum": lambda xp, x: x.cumsum(1),
    "cumprod": lambda xp, x: (x * 0.5 + 1).cumprod(0),
    "prod": lambda xp, x: (x * 0.3 + 1).prod(1, keepdim=True) * x,
    "sort": lambda xp, x: xp.sort(x, 1)[0] * x,
    "topk": lambda xp, x: x * xp.topk(x, 2, 1)[0].sum(1, keepdim=True),
    "amax": lambda xp, x: x * xp.amax(x, 0),
    "median": lambda xp, x: x * xp.median(x, 1, True)[0],
    "var": lambda xp, x: x / (x.var(1, keepdim=True) + 1),
    "std": lambda xp, x: x / (x.std(0) + 1),
    "norm": lambda xp, x: x / (x.norm(dim=1, keepdim=True) + 0.1),
    "norm of order 3": lambda xp, x: x / (xp.linalg.vector_norm(x, 3, 1, True) + 0.1),
    "permute": lambda xp, x: x.reshape(3, 2, 2).permute(0, 2, 1).reshape(3, 4),
    "flip": lambda xp, x: xp.flip(x, (0,)) * x,
    "roll": lambda xp, x: xp.roll(x, 1, 1) * x,
    "tril": lambda xp, x: xp.tril(x, 1) * x + x,
    "cat": lambda xp, x: xp.cat([x[:, 2:], x[:, :2] * x[:, 1:3]], 1),
    "stack": lambda xp, x: xp.stack([x, x * x]).sum(0),
    "split": lambda xp, x: xp.cat([p * p for p in xp.split(x, 1, 0)], 0),
    "repeat": lambda xp, x: x.repeat(2, 1)[1:4],
    "diagonal": lambda xp, x: x * xp.diagonal(x).sum(),
    "index": lambda xp, x: x[at(xp, x, [2, 0, 2])] * x,
    "index_select": lambda xp, x: xp.index_select(x, 1, at(xp, x, [0, 0, 3, 1])) * x,
    "gather": lambda xp, x: xp.gather(x, 1, at(xp, x, [[0, 1, 1, 3]] * 3)) * x,
    "take": lambda xp, x: xp.take(x, at(xp, x, [0, 5, 5, 7])) * x,
    "masked": lambda xp, x: x * (x[positive(x)].sum() + 1) * 0.1,
    "masked_fill": lambda xp, x: x.masked_fill(positive(x - 1), x[0, 0]) * x,
    "assigned": assigned,
    "mul_": lambda xp, x: (x * 1).mul_(x),
    "exp_": lambda xp, x: (x * 0.3).exp_(),
    "add_": lambda xp, x: (x * x).add_(x),
    "index_add_": lambda xp, x: (x * 1).index_add_(0, at(xp, x, [1, 1]), x[:2] * x[1:]),
    "scatter_": lambda xp, x: (x * 1).scatter_(0, at(xp, x, [[2, 0, 1, 1]]), x[:1] * x[1:2]),
    "scatter_add_": lambda xp, x: (x * 1).scatter_add_(
        0, at(xp, x, [[2, 0, 1, 1]]), x[:1] * x[1:2]
    ),
    "relu": layer("relu"),
    "silu": layer("silu"),
    "elu": layer("elu", 0.7),
    "gelu": layer("gelu"),
    "softplus": layer("softplus"),
    "mse_loss": loss("mse_loss"),
    "huber_loss": loss("huber_loss", reduction="sum"),
    "smooth_l1_loss": loss("smooth_l1_loss", reduction="none", beta=0.5),
    "cross_entropy": classified,
    "binary_cross_entropy": lambda xp, x: FUNCTIONAL[xp].binary_cross_entropy(
        x.sigmoid(), (x * 0.5).sigmoid(), reduction="none"
    ),
    "binary_cross_entropy_with_logits": lambda xp, x: (
        x
        * FUNCTIONAL[xp].binary_cross_entropy_with_logits(
            x, x.sigmoid(), pos_weight=at(xp, x, [0.5, 1.0, 2.0, 3.0]).to(x.dtype)
        )
    ),
}


def orders(xp: Any, chain: list[str], arrays: list[np.ndarray], device: Any) -> list[np.ndarray]:
    """The values, and derivatives of three orders along fixed directions."""
    x, v, w = (xp.tensor(array, device=device) for array in arrays)
    x.requires_grad_()
    y = x
    for name in chain:
        y = STEPS[name](xp, y)
    y = y + x * x * x * 0.1  # so that no order is a constant
    found = [y]
    for direction in (v, w, v):
        (g,) = xp.autograd.grad(found[-1], x, direction, create_graph=True)
        found.append(g)
    return [np.array((t.detach() + 0).cpu().tolist()) for t in found]


@pytest.mark.parametrize("seed", range(8))
def test_chains(seed: int, device: gpukit.device) -> None:
    drawn = random.Random(f"{seed} {device}")
    for _ in range(12):
        chain = drawn.choices(list(STEPS), k=drawn.randint(1, 4))
        rng = np.random.default_rng(drawn.randrange(10**9))
        arrays = [rng.normal(size=(3, 4)) for _ in range(3)]
        want = orders(torch, chain, arrays, "cpu")
        got = orders(gpukit, chain, arrays, device)
        for order, (one, other) in enumerate(zip(got, want, strict=True)):
            size = np.abs(other[np.isfinite(other)]).max(initial=1.0)
            np.testing.assert_allclose(
                one, other, rtol=1e-6, atol=1e-8 * size, err_msg=f"order {order} of {chain}"
            )

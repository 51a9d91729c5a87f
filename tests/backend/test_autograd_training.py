"""The fused operations of nn, and a network that trains."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F


def wide(*shape: int, seed: int = 0, device: object = "cpu") -> gpukit.Tensor:
    values = np.random.default_rng(seed).uniform(-1, 1, shape)
    return gpukit.tensor(values, device=device, requires_grad=True)


@pytest.mark.parametrize("leading", [(4,), (2, 3), (2, 1, 3), ()])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(leading, bias):
    inputs = [wide(*leading, 3), wide(2, 3, seed=1)] + ([wide(2, seed=2)] if bias else [])
    assert gpukit.autograd.gradcheck(F.linear, inputs)
    for kept in range(len(inputs)):  # each gradient alone
        some = [x if i == kept else x.detach() for i, x in enumerate(inputs)]
        assert gpukit.autograd.gradcheck(F.linear, some)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(reduction, smoothing, weighted, device):
    target = gpukit.tensor([0, 2, -100, 1], device=device)
    weight = gpukit.tensor([0.5, 1.0, 2.0], dtype=gpukit.float64, device=device)

    def loss(logits: gpukit.Tensor) -> gpukit.Tensor:
        return F.cross_entropy(
            logits,
            target,
            weight if weighted else None,
            reduction=reduction,
            label_smoothing=smoothing,
        )

    assert gpukit.autograd.gradcheck(loss, wide(4, 3, device=device))


FUNCTIONS = {
    "mse_loss": lambda x: F.mse_loss(x, gpukit.full_like(x.detach(), 0.3)),
    "l1_loss": lambda x: F.l1_loss(x, gpukit.full_like(x.detach(), 0.3)),
    "bce": lambda x: F.binary_cross_entropy_with_logits(x, (x.detach() > 0).double()),
    "layer_norm": lambda x: F.layer_norm(x, (x.shape[-1],)),
    "gelu": F.gelu,
    "softmax": lambda x: F.softmax(x, dim=-1),
    "nll_loss": lambda x: F.nll_loss(F.log_softmax(x, 1), gpukit.tensor([0, 2], device=x.device)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functional(name, device):
    assert gpukit.autograd.gradcheck(FUNCTIONS[name], wide(2, 3, device=device))


def test_embedding_counts_repeats():
    weight = wide(4, 2)
    F.embedding(gpukit.tensor([1, 1, 3]), weight).sum().backward()
    assert weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]


def test_gradients_of_a_network_are_those_of_differences():
    gpukit.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2)).to(
        gpukit.float64
    )
    x = gpukit.tensor([[0.1, -0.2, 0.3]] * 2, dtype=gpukit.float64)
    target = gpukit.tensor([0, 1])
    F.cross_entropy(net(x), target).backward()
    for parameter in net.parameters():
        flat, own = parameter.detach().view(-1), parameter.grad.view(-1)
        for i in range(flat.numel()):
            kept, values = flat[i].item(), []
            for step in (1e-6, -1e-6):
                flat[i] = kept + step
                values.append(F.cross_entropy(net(x), target).item())
            flat[i] = kept
            assert abs((values[0] - values[1]) / 2e-6 - own[i].item()) < 1e-7


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW"])
def test_spirals_are_learnt(optimizer, device):
    rng = np.random.default_rng(0)
    turn = np.linspace(0.3, 3.0, 60)
    arms = [(turn * np.cos(turn + a), turn * np.sin(turn + a)) for a in (0.0, np.pi)]
    points = np.concatenate([np.stack(arm, 1) for arm in arms]) + rng.normal(0, 0.02, (120, 2))
    x = gpukit.tensor(points.astype(np.float32), device=device)
    labels = gpukit.tensor([0] * 60 + [1] * 60, device=device)
    gpukit.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    net = net.to(device)
    rates = {"SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.01}, "AdamW": {"lr": 0.01}}
    steps = getattr(gpukit.optim, optimizer)(net.parameters(), **rates[optimizer])
    criterion = nn.CrossEntropyLoss()
    for _ in range(250):
        loss = criterion(net(x), labels)
        steps.zero_grad()
        loss.backward()
        steps.step()
    assert all(p.grad.device == device for p in net.parameters())
    assert (net(x).argmax(1) == labels).float().mean().item() > 0.97

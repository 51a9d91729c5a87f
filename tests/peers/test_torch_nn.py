"""Networks compared with torch's: same weights and inputs, same results, gradients and paths."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit
from support.spirals import accuracy, spirals

RNG = np.random.default_rng(0)


def twin(make):
    """The same network in both libraries, with torch's weights in float64."""
    theirs = make(torch.nn).double()
    mine = make(gpukit.nn).double()
    mine.load_state_dict({k: gpukit.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    return mine, theirs


def both(array):
    return gpukit.tensor(array), torch.tensor(array)


def same(mine, theirs, tolerance=1e-10):
    assert tuple(mine.shape) == tuple(theirs.shape)
    a = np.array(mine.detach().tolist(), float)
    np.testing.assert_allclose(a, np.array(theirs.detach().tolist(), float), tolerance, tolerance)


NETWORKS = {
    "linear": (lambda nn: nn.Linear(5, 3), (4, 5)),
    "linear without bias": (lambda nn: nn.Linear(5, 3, bias=False), (4, 5)),
    "linear of a vector": (lambda nn: nn.Linear(5, 3), (5,)),
    "linear of a stack": (lambda nn: nn.Linear(5, 3), (2, 4, 5)),
    "mlp": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3)), (4, 5)),
    "sigmoid": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.Sigmoid()), (4, 5)),
    "tanh": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.Tanh()), (4, 5)),
    "gelu": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.GELU()), (4, 5)),
    "gelu tanh": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.GELU("tanh")), (4, 5)),
    "leaky relu": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(0.2)), (4, 5)),
    "elu": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.ELU(0.7)), (4, 5)),
    "silu": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.SiLU()), (4, 5)),
    "softplus": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.Softplus(2.0, 1.5)), (4, 5)),
    "softmax": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.Softmax(dim=1)), (4, 5)),
    "log softmax": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.LogSoftmax(dim=-1)), (4, 5)),
    "layer norm": (lambda nn: nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8)), (4, 5)),
    "layer norm of two": (lambda nn: nn.LayerNorm((4, 5), eps=1e-3, bias=False), (2, 4, 5)),
    "flatten": (lambda nn: nn.Sequential(nn.Flatten(), nn.Linear(10, 3)), (4, 2, 5)),
    "identity": (lambda nn: nn.Sequential(nn.Identity(), nn.Dropout(0.5), nn.Linear(5, 1)), (4, 5)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_answers_and_gradients(name):
    make, shape = NETWORKS[name]
    mine, theirs = twin(make)
    mine.eval()
    theirs.eval()
    x, y = both(RNG.standard_normal(shape))
    x.requires_grad_()
    y.requires_grad_()
    a, b = mine(x), theirs(y)
    same(a, b)
    (a * a).sum().backward()
    (b * b).sum().backward()
    same(x.grad, y.grad)
    for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
        same(p.grad, q.grad)


@pytest.mark.parametrize("name", NETWORKS)
def test_reprs(name):
    make, _ = NETWORKS[name]
    assert repr(make(gpukit.nn)) == repr(make(torch.nn))


def test_embedding():
    mine, theirs = twin(lambda nn: nn.Embedding(10, 3, padding_idx=2))
    index = np.array([[1, 2, 1], [9, 0, 2]])
    a, b = mine(gpukit.tensor(index)), theirs(torch.tensor(index))
    same(a, b)
    (a * a).sum().backward()
    (b * b).sum().backward()
    same(mine.weight.grad, theirs.weight.grad)


@pytest.mark.parametrize("name", ["relu", "layer", "loss"])
def test_names_of_nodes(name):
    def grad_fn(module):
        x = module.ones(2, 3, requires_grad=True)
        layer = module.nn.Linear(3, 3)
        answer = {
            "relu": lambda: module.nn.functional.relu(x),
            "layer": lambda: layer(x),
            "loss": lambda: module.nn.functional.cross_entropy(layer(x), module.tensor([0, 1])),
        }[name]()
        return type(answer.grad_fn).__name__ if module is torch else answer.grad_fn.name()

    assert grad_fn(gpukit) == grad_fn(torch)


REDUCTIONS = ["mean", "sum", "none"]
CLASSES = RNG.integers(0, 4, 6)
IGNORED = np.where(np.arange(6) % 3 == 0, -100, CLASSES)
WEIGHT = RNG.random(4) + 0.5
LOSSES = {
    "mse": (lambda m, a, r: m.mse_loss(a[0], a[1], reduction=r), "xy"),
    "l1": (lambda m, a, r: m.l1_loss(a[0], a[1], reduction=r), "xy"),
    "smooth l1": (lambda m, a, r: m.smooth_l1_loss(a[0], a[1], reduction=r, beta=0.7), "xy"),
    "huber": (lambda m, a, r: m.huber_loss(a[0], a[1], reduction=r, delta=0.7), "xy"),
    "bce of probabilities": (
        lambda m, a, r: m.binary_cross_entropy(a[0].sigmoid(), a[1], weight=a[2], reduction=r),
        "xpw",
    ),
    "bce": (lambda m, a, r: m.binary_cross_entropy_with_logits(a[0], a[1], reduction=r), "xp"),
    "bce weighted": (
        lambda m, a, r: m.binary_cross_entropy_with_logits(
            a[0], a[1], weight=a[2], pos_weight=a[2], reduction=r
        ),
        "xpw",
    ),
    "cross entropy": (lambda m, a, r: m.cross_entropy(a[0], a[1], reduction=r), "xc"),
    "cross entropy ignoring": (lambda m, a, r: m.cross_entropy(a[0], a[1], reduction=r), "xi"),
    "cross entropy with all": (
        lambda m, a, r: m.cross_entropy(
            a[0], a[1], weight=a[2], label_smoothing=0.2, ignore_index=1, reduction=r
        ),
        "xcw",
    ),
    "cross entropy of probabilities": (
        lambda m, a, r: m.cross_entropy(a[0], a[1], label_smoothing=0.1, reduction=r),
        "xp",
    ),
    "nll": (lambda m, a, r: m.nll_loss(a[0], a[1], reduction=r), "xc"),
    "nll weighted": (lambda m, a, r: m.nll_loss(a[0], a[1], weight=a[2], reduction=r), "xiw"),
}
INPUTS = {
    "x": RNG.standard_normal((6, 4)) * 3,
    "y": RNG.standard_normal((6, 4)),
    "p": RNG.random((6, 4)),
    "c": CLASSES,
    "i": IGNORED,
    "w": WEIGHT,
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_gradients(name, reduction):
    call, inputs = LOSSES[name]
    x, y = both(INPUTS["x"])
    x.requires_grad_()
    y.requires_grad_()
    others = [both(INPUTS[letter]) for letter in inputs[1:]]
    a = call(gpukit.nn.functional, [x, *(pair[0] for pair in others)], reduction)
    b = call(torch.nn.functional, [y, *(pair[1] for pair in others)], reduction)
    same(a, b)
    factors = RNG.standard_normal(tuple(b.shape))
    (a * gpukit.tensor(factors)).sum().backward()
    (b * torch.tensor(factors)).sum().backward()
    same(x.grad, y.grad)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_probabilities_that_are_0_1_or_tiny(reduction):
    ends = np.array([0.0, 1.0, 1e-20, 1e-13, 0.3, 1.0 - 1e-7], np.float32)
    x, y = both(ends)
    x.requires_grad_()
    y.requires_grad_()
    for value in (0.0, 1.0, 0.25):
        target, weight = np.full(6, value, np.float32), np.arange(6, dtype=np.float32)
        x.grad = y.grad = None
        answers = [
            m.binary_cross_entropy(p, make(target), weight=make(weight), reduction=reduction)
            for m, p, make in (
                (gpukit.nn.functional, x, gpukit.tensor),
                (torch.nn.functional, y, torch.tensor),
            )
        ]
        same(*answers, tolerance=1e-6)
        for answer in answers:
            answer.sum().backward()
        same(x.grad, y.grad, tolerance=1e-6)


def test_loss_of_images():
    x, y = both(RNG.standard_normal((2, 3, 4, 5)))
    x.requires_grad_()
    y.requires_grad_()
    target = RNG.integers(0, 3, (2, 4, 5))
    a = gpukit.nn.functional.cross_entropy(x, gpukit.tensor(target))
    b = torch.nn.functional.cross_entropy(y, torch.tensor(target))
    same(a, b)
    a.backward()
    b.backward()
    same(x.grad, y.grad)


OPTIMIZERS = {
    "sgd": ("SGD", {"lr": 0.1}),
    "sgd momentum": ("SGD", {"lr": 0.1, "momentum": 0.9}),
    "sgd dampening": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.01}),
    "sgd nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    "sgd maximize": ("SGD", {"lr": 0.001, "maximize": True}),
    "adam": ("Adam", {"lr": 0.01}),
    "adam decay": ("Adam", {"lr": 0.01, "weight_decay": 0.1, "betas": (0.8, 0.95), "eps": 1e-6}),
    "adam amsgrad": ("Adam", {"lr": 0.01, "amsgrad": True}),
    "adam maximize": ("Adam", {"lr": 0.001, "maximize": True}),
    "adamw": ("AdamW", {"lr": 0.01}),
    "adamw amsgrad": ("AdamW", {"lr": 0.01, "amsgrad": True, "weight_decay": 0.2}),
    "rmsprop": ("RMSprop", {"lr": 0.01, "alpha": 0.9}),
    "rmsprop with all": (
        "RMSprop",
        {"lr": 0.001, "momentum": 0.9, "weight_decay": 0.1, "eps": 1e-6, "maximize": True},
    ),
    "rmsprop centered": ("RMSprop", {"lr": 0.001, "centered": True, "momentum": 0.9}),
    "adagrad": ("Adagrad", {"lr": 0.1}),
    "adagrad with all": (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2},
    ),
    "adadelta": ("Adadelta", {}),
    "adadelta with all": (
        "Adadelta",
        {"lr": 0.5, "rho": 0.8, "eps": 1e-5, "weight_decay": 0.1, "maximize": True},
    ),
    "adamax": ("Adamax", {"lr": 0.01}),
    "adamax with all": (
        "Adamax",
        {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-5, "weight_decay": 0.1, "maximize": True},
    ),
    "nadam": ("NAdam", {"lr": 0.01}),
    "nadam decay": ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "momentum_decay": 0.1}),
    "nadam decoupled": (
        "NAdam",
        {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ),
    "radam": ("RAdam", {"lr": 0.01}),
    "radam decay": ("RAdam", {"lr": 0.01, "betas": (0.8, 0.9), "weight_decay": 0.1}),
    "radam decoupled": (
        "RAdam",
        {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ),
    "rprop": ("Rprop", {"lr": 0.01}),
    "rprop with all": (
        "Rprop",
        {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.01, 0.2), "maximize": True},
    ),
    "asgd": ("ASGD", {"lr": 0.1}),
    "asgd averaged": (
        "ASGD",
        {"lr": 0.1, "lambd": 0.01, "alpha": 0.5, "t0": 5, "weight_decay": 0.1, "maximize": True},
    ),
}


def train(module, net, optimizer, x, target, steps, scheduler=None):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = module.nn.functional.cross_entropy(net(x), target)
        loss.backward()
        module.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_trajectories_of_20_steps(name):
    make, settings = OPTIMIZERS[name]
    mine, theirs = twin(NETWORKS["mlp"][0])
    x, y = both(RNG.standard_normal((16, 5)))
    c, d = both(RNG.integers(0, 3, 16))
    a = getattr(gpukit.optim, make)(mine.parameters(), **settings)
    b = getattr(torch.optim, make)(theirs.parameters(), **settings)
    got = train(gpukit, mine, a, x, c, 20)
    want = train(torch, theirs, b, y, d, 20)
    np.testing.assert_allclose(got, want, 1e-9)
    for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
        same(p, q, 1e-9)
        states = a.state[p], {k: v for k, v in b.state[q].items() if v is not None}
        assert list(states[0]) == list(states[1])
        for key, value in states[1].items():
            same(states[0][key], value, 1e-9)


def test_optimizer_state_goes_both_ways():
    mine, theirs = twin(NETWORKS["mlp"][0])
    x, y = both(RNG.standard_normal((16, 5)))
    c, d = both(RNG.integers(0, 3, 16))
    a = gpukit.optim.Adam(mine.parameters(), lr=0.01)
    b = torch.optim.Adam(theirs.parameters(), lr=0.01)
    train(torch, theirs, b, y, d, 5)
    mine.load_state_dict({k: gpukit.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    saved = b.state_dict()
    saved["state"] = {
        n: {k: gpukit.tensor(v.numpy()) for k, v in s.items()} for n, s in saved["state"].items()
    }
    a.load_state_dict(saved)
    np.testing.assert_allclose(
        train(gpukit, mine, a, x, c, 5), train(torch, theirs, b, y, d, 5), 1e-9
    )


def test_spirals_train_to_torchs_accuracy():
    points, classes = spirals(200, seed=1)

    def make(nn):
        return nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 3))

    torch.manual_seed(0)
    theirs = make(torch.nn)
    mine = make(gpukit.nn)
    mine.load_state_dict({k: gpukit.tensor(v.numpy()) for k, v in theirs.state_dict().items()})

    def reached(module, net):
        x, target = module.tensor(points), module.tensor(classes)
        optimizer = module.optim.Adam(net.parameters(), lr=0.02)
        for _ in range(300):
            optimizer.zero_grad()
            module.nn.functional.cross_entropy(net(x), target).backward()
            optimizer.step()
        return accuracy(np.array(net(x).detach().tolist()), classes)

    got, want = reached(gpukit, mine), reached(torch, theirs)
    assert want > 0.9
    assert abs(got - want) < 0.03

"""Networks train on every device: a stated accuracy, learning that stops where it should."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F
from gpukit.utils.data import DataLoader, TensorDataset
from support.arrays import fetch
from support.spirals import accuracy, spirals


class MLP(nn.Module):
    def __init__(self, inputs=2, hidden=32, classes=3):
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, X):
        return self.output(F.relu(self.hidden(X)))


OPTIMIZERS = {
    "SGD": (lambda p: gpukit.optim.SGD(p, lr=0.3, momentum=0.9), 0.93),
    "AdamW": (lambda p: gpukit.optim.AdamW(p, lr=0.02), 0.93),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_spirals(name, device):
    gpukit.manual_seed(0)
    points, classes = spirals(60, seed=1)
    net = MLP().to(device)
    make, wanted = OPTIMIZERS[name]
    optimizer = make(net.parameters())
    x, target = gpukit.tensor(points, device=device), gpukit.tensor(classes, device=device)
    first = F.cross_entropy(net(x), target).item()
    for _ in range(150):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.3 * first
    assert accuracy(fetch(net(x).detach()), classes) >= wanted


def test_batches_and_a_scheduler(device):
    gpukit.manual_seed(1)
    points, classes = spirals(40, arms=2, seed=2)
    data = TensorDataset(gpukit.tensor(points), gpukit.tensor(classes))
    net = MLP(classes=2).to(device)
    optimizer = gpukit.optim.Adam(net.parameters(), lr=0.05)
    scheduler = gpukit.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
    for _ in range(16):
        for x, target in DataLoader(data, batch_size=16, shuffle=True, device=device):
            assert x.device == device
            optimizer.zero_grad()
            F.cross_entropy(net(x), target).backward()
            optimizer.step()
        scheduler.step()
    assert accuracy(fetch(net(gpukit.tensor(points).to(device)).detach()), classes) >= 0.9


def test_linear_regression(device):
    gpukit.manual_seed(2)
    x = gpukit.randn(64, 2, device=device)
    y = x @ gpukit.tensor([[2.0], [-3.4]], device=device) + 4.2
    net = nn.Sequential(nn.Linear(2, 1)).to(device)
    optimizer = gpukit.optim.SGD(net.parameters(), lr=0.1)
    loss = nn.MSELoss()
    for _ in range(100):
        optimizer.zero_grad()
        loss(net(x), y).backward()
        optimizer.step()
    np.testing.assert_allclose(fetch(net[0].weight.detach()), [[2.0, -3.4]], atol=1e-3)
    assert fetch(net[0].bias.detach())[0] == pytest.approx(4.2, abs=1e-3)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_gradient_of_cross_entropy(reduction, smoothing, device):
    rng = np.random.default_rng(3)
    logits = rng.standard_normal((5, 7))
    target = rng.integers(0, 7, 5)
    target[0] = -100
    weight = rng.random(7) + 0.5
    factors = rng.standard_normal(5)

    def loss(values):
        x = gpukit.tensor(values, device=device, requires_grad=True)
        losses = F.cross_entropy(
            x,
            gpukit.tensor(target, device=device),
            gpukit.tensor(weight, device=device),
            reduction=reduction,
            label_smoothing=smoothing,
        )
        if reduction == "none":
            losses = (losses * gpukit.tensor(factors, device=device)).sum()
        return x, losses

    x, total = loss(logits)
    total.backward()
    step = 1e-6
    for place in ((0, 3), (1, target[1]), (2, 0), (4, 6)):
        sides = []
        for sign in (1, -1):
            moved = logits.copy()
            moved[place] += sign * step
            sides.append(loss(moved)[1].item())
        slope = (sides[0] - sides[1]) / (2 * step)
        assert fetch(x.grad)[place] == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 5), (5,)])
def test_gradient_of_linear(shape, device):
    rng = np.random.default_rng(4)
    x, w, b = rng.standard_normal(shape), rng.standard_normal((3, 5)), rng.standard_normal(3)
    tensors = [gpukit.tensor(a, device=device, requires_grad=True) for a in (x, w, b)]
    F.linear(*tensors).square().sum().backward()
    g = 2 * (x @ w.T + b)
    rows, given = x.reshape(-1, 5), g.reshape(-1, 3)
    for tensor, want in zip(tensors, (g @ w, given.T @ rows, given.sum(0)), strict=True):
        np.testing.assert_allclose(fetch(tensor.grad), want, rtol=1e-10, atol=1e-10)


def test_no_graph_is_recorded_where_none_is_wanted(device):
    net = MLP().to(device)
    x = gpukit.ones(2, 2, device=device)
    with gpukit.no_grad():
        assert net(x).grad_fn is None
    net.requires_grad_(False)
    assert not net(x).requires_grad
    net.output.requires_grad_(True)
    net(x).sum().backward()
    assert net.hidden.weight.grad is None
    assert net.output.weight.grad is not None


@pytest.mark.parametrize("make", [gpukit.optim.SGD, gpukit.optim.RMSprop])
def test_gradients_and_states_move_with_the_network(make, device):
    net = MLP()
    optimizer = make(net.parameters(), lr=0.1, momentum=0.9)
    net(gpukit.ones(2, 2)).sum().backward()
    optimizer.step()
    net.to(device)
    assert net.hidden.weight.grad.device == device
    if device.type == "cpu":
        return
    before = net.hidden.weight.tolist()
    match = rf"{make.__name__}\.step: parameter 0 is on {device}, its state on cpu\. "
    with pytest.raises(gpukit.DeviceMismatchError, match=match) as caught:
        optimizer.step()
    assert caught.value.fix == "optimizer.load_state_dict(optimizer.state_dict())"
    assert net.hidden.weight.tolist() == before
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.step()
    assert optimizer.state[net.hidden.weight]["momentum_buffer"].device == device


def test_errors_name_the_layer_and_the_devices(device):
    if device.type == "cpu":
        return
    net = MLP().to(device)
    with pytest.raises(gpukit.DeviceMismatchError) as caught:
        net(gpukit.ones(2, 2))
    assert str(caught.value).startswith(f"hidden (Linear): weights on {device}, input X on cpu.")
    assert caught.value.fix == f"X.to('{device}')"


def test_embedding_learns_the_rows_it_saw(device):
    table = nn.Embedding(6, 2, padding_idx=0).to(device)
    before = fetch(table.weight.detach()).copy()
    optimizer = gpukit.optim.SGD(table.parameters(), lr=1.0)
    table(gpukit.tensor([[1, 3, 1, 0]], device=device)).sum().backward()
    optimizer.step()
    moved = before - fetch(table.weight.detach())
    np.testing.assert_allclose(moved[:, 0], [0, 2, 0, 1, 0, 0], atol=1e-6)


def test_a_trained_network_is_copied_without_its_gradients(device):
    net = MLP().to(device)
    net(gpukit.ones(1, 2, device=device)).sum().backward()
    other = copy.deepcopy(net)
    assert gpukit.equal(other.hidden.weight, net.hidden.weight)
    assert other.hidden.weight.grad is None
    assert other.hidden.weight.is_leaf
    assert other.hidden.weight.device == device


@pytest.mark.parametrize(
    ("shape", "width"), [((0, 3), 2), ((2, 0, 3), 2), ((4, 2, 0), 2), ((0, 0), 2), ((2, 3), 0)]
)
@pytest.mark.parametrize("biased", [True, False])
def test_linear_of_nothing(device, shape, width, biased):
    x = gpukit.ones(shape, device=device, requires_grad=True)
    weight = gpukit.ones(width, shape[-1], device=device, requires_grad=True)
    bias = gpukit.ones(width, device=device, requires_grad=True) if biased else None
    y = F.linear(x, weight, bias)
    assert y.shape == (*shape[:-1], width)
    y.sum().backward()
    rows = int(np.prod(shape[:-1]))
    assert x.grad.shape == shape
    assert weight.grad.tolist() == [[float(rows)] * shape[-1]] * width
    if bias is not None:
        assert bias.grad.tolist() == [float(rows)] * width

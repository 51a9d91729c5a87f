"""One network on two simulated devices, and the tutorial's network unchanged but for its import."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit._devices.exchange import Exchange
from gpukit.cuda import nccl
from gpukit.nn import functional as F
from support.arrays import fetch
from support.simulation import simulation
from support.spirals import spirals

DEVICES = ["cuda:0", "cuda:1"]


def network():
    gpukit.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3)).to("cuda:0")


def trained(net, parallel, steps=10):
    points, classes = spirals(11, seed=1)
    x, target = gpukit.tensor(points, device="cuda:0"), gpukit.tensor(classes, device="cuda:0")
    optimizer = gpukit.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    call = nn.DataParallel(net, DEVICES) if parallel else net
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(call(x), target).backward()
        optimizer.step()
    return {name: fetch(value) for name, value in net.state_dict().items()}


def test_two_devices_learn_what_one_does():
    alone, together = trained(network(), False), trained(network(), True)
    for name, want in alone.items():
        np.testing.assert_allclose(together[name], want, rtol=1e-4, atol=1e-5, err_msg=name)


class Shared(nn.Module):
    """A layer used twice under two names, a frozen one, one that nothing uses, one in half."""

    def __init__(self):
        super().__init__()
        self.first = self.again = nn.Linear(3, 3)
        self.frozen = nn.Linear(3, 3).requires_grad_(False)
        self.unused = nn.Linear(3, 3)
        self.narrow = nn.Linear(3, 2).half()

    def forward(self, x):
        assert self.first is self.again
        return self.narrow(self.again(self.frozen(self.first(x).tanh())).half()).float()


def passes(net, call, count=2):
    """Gradients of passes that are all recorded before the backward pass."""
    x = gpukit.tensor([[0.5, -1.0, 2.0]] * 7, device="cuda:0")
    outputs = [call(x * (i + 1)) for i in range(count)]
    sum((each**2).mean() for each in outputs).backward()
    return {
        name: None if each.grad is None else fetch(each.grad.float())
        for name, each in net.named_parameters()
    }


def counted(function, called):
    def call(*arguments):
        called.append(function.__name__)
        return function(*arguments)

    return call


@pytest.mark.parametrize("by_nccl", [True, False])
@pytest.mark.parametrize("count", [2, 3])
def test_gradients_come_back_in_one_piece(by_nccl, count, monkeypatch):
    called = []
    for name in ("broadcast", "reduce"):
        monkeypatch.setattr(nccl, name, counted(getattr(nccl, name), called))
    if not by_nccl:
        monkeypatch.setattr(Exchange, "_works", lambda _: False)
    with simulation(count, card="T4"):
        gpukit.manual_seed(0)
        net = Shared().to("cuda:0")
        devices = [f"cuda:{i}" for i in range(count)]
        wanted = passes(net, net)
        net.zero_grad()
        found = passes(net, nn.DataParallel(net, devices))
    for name, value in wanted.items():
        if value is None:
            assert found[name] is None, name
        else:
            np.testing.assert_allclose(found[name], value, rtol=2e-3, atol=1e-4, err_msg=name)
    # For each pass: three kinds of parameters there, the gradients of two back.
    assert called == (["broadcast"] * 6 + ["reduce"] * 4 if by_nccl else [])


def test_memory_of_the_copies_lasts():
    seen = []

    class Layer(nn.Linear):
        def forward(self, x):
            if x.device.index == 1:
                seen.append(self.weight.data_ptr())
            return super().forward(x)

    net = Layer(2, 2).to("cuda:0")
    call, x = nn.DataParallel(net, DEVICES), gpukit.ones(4, 2, device="cuda:0")
    for _ in range(6):
        call(x).sum().backward()
        with gpukit.no_grad():
            net.weight.add_(1)
            call(x)
    assert len(set(seen)) == 1
    first, second = call(x), call(x)  # what the first has saved is not overwritten
    assert len(set(seen[-2:])) == 2
    (first + second).sum().backward()
    del first, second
    for _ in range(4):
        call(x)
    assert len(set(seen)) == 2


def test_derivatives_of_gradients():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).to("cuda:0")
    found = []
    for call in (net, nn.DataParallel(net, DEVICES)):
        net.zero_grad()
        first = gpukit.autograd.grad(
            call(gpukit.ones(4, 2, device="cuda:0")).sum(), net[0].weight, create_graph=True
        )[0]
        (first**2).sum().backward()
        found.append([fetch(each.grad) for each in (net[0].weight, net[2].weight)])
    for value, wanted in zip(*found, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


def test_a_copy_of_it_has_memory_of_its_own():
    call = nn.DataParallel(network(), DEVICES)
    x = gpukit.ones(4, 2, device="cuda:0")
    for other in (copy.deepcopy(call), pickle.loads(pickle.dumps(call))):
        assert gpukit.equal(other(x), call(x))
        with gpukit.no_grad():
            other.module[0].weight.zero_()
        assert not gpukit.equal(other(x), call(x))


def test_parts_are_computed_on_their_devices():
    seen = []

    class Watching(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.register_buffer("shift", gpukit.ones(2))

        def forward(self, x, *, scale):
            seen.append((str(x.device), str(self.layer.weight.device), x.shape[0], self.training))
            assert gpukit.cuda.current_device() == x.device.index
            return {"answer": self.layer(x) * scale + self.shift, "sum": x.sum()}

    net = nn.DataParallel(Watching().to("cuda:0").eval(), DEVICES)
    answer = net(gpukit.ones(5, 2, device="cuda:0"), scale=2.0)
    assert sorted(seen) == [("cuda:0", "cuda:0", 3, False), ("cuda:1", "cuda:1", 2, False)]
    assert answer["answer"].shape == (5, 2) and str(answer["answer"].device) == "cuda:0"
    assert sorted(answer["sum"].tolist()) == [4.0, 6.0]


def test_a_batch_smaller_than_the_devices():
    assert nn.DataParallel(network(), DEVICES)(gpukit.ones(1, 2, device="cuda:0")).shape == (1, 3)


def test_errors():
    with pytest.raises(gpukit.DeviceMismatchError, match=r"parameter 0.weight is on cpu.*net.to"):
        nn.DataParallel(network().cpu(), DEVICES)(gpukit.ones(2, 2))
    with pytest.raises(gpukit.ShapeError, match=r"module.0 \(Linear\)|0 \(Linear\)"):
        nn.DataParallel(network(), DEVICES)(gpukit.ones(4, 3, device="cuda:0"))
    with pytest.raises(ValueError, match="device_ids"):
        nn.DataParallel(network(), [])


def test_no_grad_holds_in_the_threads():
    with gpukit.no_grad():
        answer = nn.DataParallel(network(), DEVICES)(gpukit.ones(4, 2, device="cuda:0"))
    assert answer.grad_fn is None


def test_functions_at_once_on_two_devices():
    def work(name):
        def product():
            assert f"cuda:{gpukit.cuda.current_device()}" == name
            x = gpukit.ones(8, 8, device="cuda")
            return x @ x

        return product

    results = gpukit.parallel([work(name) for name in DEVICES], DEVICES)
    assert [str(r.device) for r in results] == DEVICES
    assert all(r.ready() and r.sum().item() == 512 for r in results)


@pytest.mark.parametrize("where", ["cpu", "cuda:0", "cuda:1"])
def test_the_lessons_network(where, tmp_path):
    device = gpukit.device(where)

    class MLP(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(20, 256)
            self.output = nn.Linear(256, 10)

        def forward(self, X):
            return self.output(F.relu(self.hidden(X)))

    net = MLP()
    net.to(device=device)
    text = repr(net.state_dict())
    assert text.startswith("OrderedDict(") and "hidden.weight" in text
    X = gpukit.rand(5, 20).to(device)  # noqa: N806 (the lesson's name)
    output = net(X)
    assert output.shape == (5, 10) and output.device == device
    assert "grad_fn=<AddmmBackward0>" in repr(output)
    path = tmp_path / "net_params.pth"
    gpukit.save(net.state_dict(), path)
    other = MLP().to(device)
    report = other.load_state_dict(gpukit.load(path, map_location=device))
    assert str(report) == "<All keys matched successfully>"
    assert gpukit.equal(other(X).detach(), output.detach())
    cpu_params = {name: param.cpu() for name, param in net.named_parameters()}
    assert {str(p.device) for p in cpu_params.values()} == {"cpu"}

    small = nn.Sequential(nn.Linear(3, 1)).to(device=device)
    x = gpukit.ones(2, 3, device=device)
    assert "grad_fn=<AddmmBackward0>" in repr(small(x)) and small[0].weight.device == device


@pytest.mark.parametrize("between", ["a call", "a call without gradients"])
def test_a_frozen_network_may_be_called_twice_before_one_backward(between):
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to("cuda")
    net.requires_grad_(False)
    x, y = (gpukit.rand(4, 4, device="cuda", requires_grad=True) for _ in range(2))
    (wanted,) = gpukit.autograd.grad(net(x).sum(), x)
    parallel = nn.DataParallel(net)
    first = parallel(x)
    if between == "a call":
        parallel(y)
    else:
        with gpukit.no_grad():
            parallel(y)
    first.sum().backward()
    assert gpukit.allclose(x.grad, wanted)

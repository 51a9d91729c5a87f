"""Programs after torch.compile's documentation and tests: modules, gradients, modes, writes."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from typing import Any

import pytest

import gpukit
from gpukit import nn
from gpukit._compile import compiled as compiled_functions
from support.programs import check_program, tried, x_of


@pytest.fixture(autouse=True)
def always_chains(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 0)


def mutated_input(compile):
    @compile
    def f(x, y):
        x.add_(y * 2)
        x[0] = 7.0
        return x * y + 1

    x, y = x_of(4), x_of(4)
    return [f(x, y), x.clone(), f(x, y), x.clone(), f(y, y), y]


def mutated_view(compile):
    @compile
    def f(x):
        row = x[1]
        row.mul_(2).add_(1)
        x.T[0] = -1.0
        return row + x.sum(0) * 2

    x = x_of(3, 3)
    return [f(x), x.clone(), f(x), x.clone(), f(x), x]


def aliased_results(compile):
    @compile
    def f(x):
        y = x * 2 + 1
        return y, y.view(-1), y, x

    x = x_of(2, 3)
    found = []
    for _ in range(3):
        a, flat, again, same = f(x)
        flat[0] = 100.0
        found += [a.clone(), a is again, same is x]
    return found


def batch_norm(compile):
    gpukit.manual_seed(1)
    net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2))
    model = compile(net)
    found = [model(gpukit.sin(x_of(5, 4) + step)) for step in range(4)]
    model.eval()
    found.append(model(x_of(5, 4)))
    model.train()
    found.append(model(x_of(5, 4)))
    return [*found, net[1].running_mean, net[1].num_batches_tracked]


def dropout(compile):
    gpukit.manual_seed(3)
    model = compile(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.GELU()))
    found = [model(x_of(4, 8)) for _ in range(3)]
    model.eval()
    found += [model(x_of(4, 8)) for _ in range(2)]
    return [*found, gpukit.rand(3)]


def random_numbers(compile):
    @compile
    def f(x):
        return x + gpukit.randn(3) * 2, gpukit.rand_like(x) * x + 1

    gpukit.manual_seed(7)
    found = [f(x_of(3)) for _ in range(3)]
    gpukit.manual_seed(7)
    return [*found, f(x_of(3)), gpukit.rand(2)]


def autocast_and_modes(compile):
    @compile
    def f(x, w):
        y = gpukit.relu(x @ w) * 2 + 1
        with gpukit.no_grad():
            z = y * 3 - 1
        return y, z, gpukit.is_grad_enabled()

    x, w = x_of(3, 3), x_of(3, 3).requires_grad_()
    found = [f(x, w), f(x, w)]
    with gpukit.autocast("cpu", dtype=gpukit.bfloat16):
        found += [f(x, w), f(x, w)]
    with gpukit.no_grad():
        found += [f(x, w), f(x, w)]
    with gpukit.inference_mode():
        found += [f(x, w)]
    y, _, _ = f(x, w)
    y.sum().backward()
    return [*found, w.grad]


def autocast_inside(compile):
    @compile
    def f(x, w):
        with gpukit.autocast("cpu", dtype=gpukit.bfloat16):
            y = x @ w
        return y * 2 + 1

    return [f(x_of(3, 3), x_of(3, 3)) for _ in range(3)]


def grad_toggled(compile):
    @compile
    def f(x, on):
        with gpukit.set_grad_enabled(on):
            y = x * x + 1
        return y * 2

    x = x_of(3).requires_grad_()
    return [f(x, on) for on in (True, False, True, False)]


def saved_and_changed(compile):
    @compile
    def f(x):
        return gpukit.exp(x * 0.1) * x

    x = x_of(3).requires_grad_()
    found = []
    for _ in range(3):
        x.grad = None
        y = f(x)
        y.sum().backward()
        found += [y.detach(), x.grad.clone()]
        with gpukit.no_grad():
            x.sub_(x.grad * 0.01)
    return found


def pickled(compile):
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    with gpukit.no_grad():
        for parameter in net.parameters():
            parameter.copy_(x_of(*parameter.shape) * 0.1)
    model = compile(net)
    first = model(x_of(2, 3))
    loaded = pickle.loads(pickle.dumps(model))
    file = io.BytesIO()
    gpukit.save(model.state_dict(), file)
    file.seek(0)
    state = gpukit.load(file)
    with gpukit.no_grad():
        net[0].weight.zero_()
    return [first, loaded(x_of(2, 3)), list(state), model(x_of(2, 3)), loaded(x_of(2, 3))]


def deep_copied(compile):
    net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())
    with gpukit.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.25)
    model = compile(net)
    model(x_of(2, 3))
    twin = copy.deepcopy(model)
    with gpukit.no_grad():
        twin[0].bias.add_(1)
    shallow = copy.copy(model)
    found = [model(x_of(2, 3)), twin(x_of(2, 3)), shallow(x_of(2, 3))]
    return [*found, twin[0].weight is model[0].weight, shallow[0].weight is model[0].weight]


def threads(compile):
    @compile
    def f(x, k):
        return gpukit.tanh(x * k) + k

    found: list[Any] = [None] * 8

    def work(number):
        found[number] = [f(x_of(100), number % 3) for _ in range(5)]

    running = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    return found


def given_out(compile):
    @compile
    def f(x, out):
        gpukit.add(x * 2, 1, out=out)
        return gpukit.mul(out, x, out=out) + 1

    out = gpukit.zeros(4)
    return [f(x_of(4), out), out.clone(), f(-x_of(4), out), out, tried(f, x_of(3), out)]


def replaced_parts(compile):
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    with gpukit.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.5)
    model = compile(net)
    found = [model(x_of(2, 3)), model(x_of(2, 3))]
    net[1] = nn.Tanh()
    found.append(model(x_of(2, 3)))
    net[0].weight = nn.Parameter(gpukit.ones(3, 3))
    found.append(model(x_of(2, 3)))
    net.double()
    found.append(model(x_of(2, 3).double()))
    net[0].requires_grad_(False)
    found.append(model(x_of(2, 3).double()))
    net.append(nn.Sigmoid())
    return [*found, model(x_of(2, 3).double()), len(model)]


def hooks(compile):
    calls = []
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    with gpukit.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.5)
    model = compile(net)
    found = [model(x_of(2, 3))]
    handle = net[0].register_forward_hook(lambda m, i, o: calls.append(tuple(o.shape)) or o * 2)
    found += [model(x_of(2, 3)), model(x_of(2, 3))]
    handle.remove()
    found.append(model(x_of(2, 3)))
    x = x_of(2, 3).requires_grad_()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    model(y).sum().backward()
    return [*found, calls, x.grad]


def optimizer_step(compile):
    gpukit.manual_seed(0)
    net = nn.Linear(3, 1)
    with gpukit.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.1)
    optimizer = gpukit.optim.Adam(net.parameters(), lr=0.1)

    @compile
    def step(x, y):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return [step(x_of(4, 3), x_of(4, 1)).detach() for _ in range(4)] + list(net.parameters())


def counter_on_a_module(compile):
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x * self.calls + 1

    module = compile(Counting())
    return [module(x_of(3)) for _ in range(4)] + [module.calls]


PROGRAMS = [
    mutated_input,
    mutated_view,
    aliased_results,
    batch_norm,
    dropout,
    random_numbers,
    autocast_and_modes,
    autocast_inside,
    grad_toggled,
    saved_and_changed,
    pickled,
    deep_copied,
    threads,
    given_out,
    replaced_parts,
    hooks,
    optimizer_step,
    counter_on_a_module,
]


@pytest.mark.parametrize("options", [{}, {"backend": "python"}, {"dynamic": False}])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_results_are_those_of_plain_python(program, options):
    check_program(program, options)

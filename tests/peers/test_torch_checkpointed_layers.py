"""Layers inside a checkpoint beside torch's: gradients of parameters, tied and hooked ones."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import pytest
import torch

import gpukit

from .test_torch_function import checkpoint_of


def test_gradients_of_parameters_inside_a_checkpoint():
    results = []
    for m in (gpukit, torch):
        net = m.nn.Sequential(m.nn.Linear(2, 3), m.nn.Tanh(), m.nn.Linear(3, 2))
        net.append(m.nn.Linear(2, 2))
        tied = m.nn.Linear(2, 2)
        tied.weight = net[3].weight
        with m.no_grad():
            for number, p in enumerate(net.parameters()):
                p.copy_(m.linspace(-1, 1, p.numel()).view(p.shape) * (number + 1))
            tied.bias.fill_(0.5)
        scale = m.tensor(2.0, requires_grad=True)
        x = m.tensor([[0.5, -1.0]], requires_grad=True)
        wanted = [*net.parameters(), tied.bias]

        def part(t, net=net, tied=tied):
            return tied(net(t))

        def closed(t):
            return part(t) * scale  # noqa: B023

        call = checkpoint_of(m).checkpoint
        found = m.autograd.grad(call(net, x, use_reentrant=False).sum(), [x, *net.parameters()])
        parts = [net, tied]

        def listed(t):
            for each in parts:  # noqa: B023
                t = each(t)
            return t

        found += m.autograd.grad(call(listed, x, use_reentrant=False).sum(), wanted)
        assert all(p.grad is None for p in wanted)
        seen = []
        handle = net[0].weight.register_hook(lambda g: seen.append(g.sum().item()))  # noqa: B023
        call(closed, x, use_reentrant=False).sum().backward()
        handle.remove()
        assert len(seen) == 1
        found += (scale.grad, x.grad, *(p.grad for p in wanted))
        assert isinstance(net[0].weight, m.nn.Parameter)
        results.append([number for g in found for number in g.flatten().tolist()])
    assert results[0] == pytest.approx(results[1], rel=1e-5, abs=1e-5)


class Owner:
    def __init__(self, weight):
        self.weight = weight

    def run(self, t):
        return t * self.weight * self.weight


def gradients_of_names(m):
    weight, shift = (m.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    held = {"list": [m.tensor(3.0, requires_grad=True)]}
    x = m.tensor([0.5, -1.0], requires_grad=True)
    early = (x * shift).exp()  # on the way to x: its own part of the gradient counts once

    def scaled(t, factor, held=held):
        return t * factor * held["list"][0]

    def part(t):
        return scaled(t, weight) * early

    net = m.nn.Module()
    net._inner, net._more = m.nn.PReLU(), [m.nn.PReLU()]
    net.forward = lambda t: net._more[0](net._inner(t)) * weight
    wanted = [x, weight, shift, *held["list"], net._inner.weight, net._more[0].weight]
    again = checkpoint_of(m).checkpoint
    seen = [
        again(net, x, use_reentrant=False),
        again(lambda t: part(t) * weight * early, x, use_reentrant=False),
        again(Owner(weight).run, x, use_reentrant=False),
        again(partial(scaled, factor=weight), x, use_reentrant=False),
    ]
    total = sum(each.sum() for each in seen)
    first = m.autograd.grad(total, wanted, retain_graph=True)
    recorded = m.autograd.grad(total, wanted, create_graph=True)
    second = m.autograd.grad(sum(g.pow(2).sum() for g in recorded), wanted)
    return [g.tolist() for group in (first, recorded, second) for g in group]


def test_tensors_that_a_checkpointed_function_finds_by_names():
    mine, theirs = (gradients_of_names(m) for m in (gpukit, torch))
    assert mine == [pytest.approx(row, rel=1e-4) for row in theirs]


GLOBAL: dict = {}  # each library's tensors, as globals of the functions below


def variables_after_a_backward_pass(m):
    again = partial(checkpoint_of(m).checkpoint, use_reentrant=False)
    x = m.tensor([0.5, -1.0], requires_grad=True)
    weight, other = (m.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    names = {"weight": weight, "other": other}
    exec("def part(t):\n    return t + weight + other", names)
    out = again(names["part"], x)
    names["weight"] = m.full((2,), 7.0)
    out.sum().backward()
    seen = [names["weight"], names["other"] is other, weight.grad.clone()]

    h = x
    run = lambda t: t * 2 + h  # noqa: E731
    for _ in range(2):
        h = again(run, h)
    last = h
    h.sum().backward()
    seen += [h is last, x.grad.clone()]

    states = [weight * 1, other * 1, x * 1]

    def step(t):
        states[0] = states[0] * t
        return states[0] * t

    out, first = again(step, x), states[0]
    out.sum().backward()
    seen += [states[0] is first, len(states)]

    states[:] = [weight * 1, other * 1]
    moved = {"weight": weight, "last": other}

    def shift(t):
        moved["new"] = moved["last"] = moved["weight"]
        return t * moved["weight"] * states.pop(0)

    out = again(shift, x)
    states.append(out)
    moved["last"] = None
    kept = states[1]
    out.sum().backward()
    seen += [states[0] is kept, moved["last"] is weight, moved["new"] is weight, list(moved)]

    class Fixed(list):
        def __setitem__(self, key, value):
            raise TypeError("fixed")

        __delitem__ = __setitem__

    fixed, x.grad = Fixed([m.tensor([1.0, 2.0], requires_grad=True)]), None
    again(lambda t: t * fixed[0], x).sum().backward()
    seen += [fixed[0].grad, x.grad]
    return [each.tolist() if isinstance(each, m.Tensor) else each for each in seen]


def test_a_checkpoint_leaves_the_variables_of_the_program():
    assert variables_after_a_backward_pass(gpukit) == variables_after_a_backward_pass(torch)


@pytest.mark.parametrize("m", [gpukit, torch], ids=["gpukit", "torch"])
@pytest.mark.parametrize("forget", [OrderedDict.clear, lambda names: names.pop("weight")])
def test_what_is_deleted_after_a_checkpoint_stays_deleted(forget, m):
    x, weight = (m.tensor([2.0, 3.0], requires_grad=True) for _ in range(2))
    names = OrderedDict(bias=1.0, weight=weight)

    out = checkpoint_of(m).checkpoint(lambda t: t * names["weight"], x, use_reentrant=False)
    forget(names)
    left = dict(names)
    with pytest.raises(KeyError):
        out.sum().backward()
    assert dict(names) == left
    assert x.grad is None


class Called:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, t):
        return t * self.weight


def gradients_of_other_ways(m):
    again = partial(checkpoint_of(m).checkpoint, use_reentrant=False)
    x, weight, shift = (m.tensor([k, 2.0], requires_grad=True) for k in (1.0, 3.0, 5.0))
    net = m.nn.PReLU()
    GLOBAL["shift"] = shift

    def outer(t):
        def inner(u):
            return u * GLOBAL["shift"]

        return inner(t)

    class Net(m.nn.Module):
        def forward(self, t):
            return t * GLOBAL["shift"]

    seen = [
        again(lambda t, w: t * w, x, w=weight),
        again(lambda t: sum([t * GLOBAL["shift"] for _ in range(2)]), x),
        again(outer, x),
        again(Called(weight), x),
        again(Net(), x),
        again(lambda part, t, more: part(t) * more[0], net, x, more=[weight]),
    ]
    wanted = [x, weight, shift, net.weight]
    total = sum((each * k).sum() for k, each in enumerate(seen, 1))
    return [g.tolist() for g in m.autograd.grad(total, wanted)]


def test_gradients_of_keyword_arguments_inner_functions_and_callable_objects():
    mine, theirs = (gradients_of_other_ways(m) for m in (gpukit, torch))
    assert mine == [pytest.approx(row, rel=1e-5) for row in theirs]

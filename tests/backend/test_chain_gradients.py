"""Gradients of compiled functions are those of the functions: bit for bit, on every device."""

from __future__ import annotations

import random
import threading
import warnings

import pytest

import gpukit
from support.chain_gradients import agree, with_gradients
from support.chains import drawn, same_bits
from support.long_job import repeat

CHAINS = repeat(200, long=10_000)


@pytest.mark.timeout(repeat(120, long=14400))
def test_random_chains_have_the_gradients_of_the_operators(device):
    steps = 0
    for seed in range(CHAINS if device.type == "cpu" else CHAINS // 10):
        draw = random.Random(seed)
        chain = drawn(seed, device, size=12)
        arguments = [with_gradients(args, random.Random(seed)) for args in chain.arguments]
        function = chain.function()
        compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
        agree(compiled, function, arguments, draw.randrange(1000))
        steps += sum(group.steps for group in compiled.explain().groups)
    assert steps > 100  # they did join groups


def smooth(x, w, b):
    hidden = gpukit.tanh(x * w + b) * gpukit.sigmoid(w)
    return hidden * hidden + x


def operands(device, count=24):
    x = gpukit.linspace(-2, 2, 3 * count, device=device).reshape(3, count)
    w = gpukit.linspace(-1, 1, 3 * count, device=device).reshape(3, count)
    return [each.requires_grad_() for each in (x, w, gpukit.linspace(0, 1, count, device=device))]


def compiled_once(function, *args):
    """A compiled function that has its trace."""
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    compiled(*args)
    return compiled


def assert_same(found, expected):
    assert len(found) == len(expected)
    for got, wanted in zip(found, expected, strict=True):
        assert same_bits(got, wanted)


def in_one_node(result):
    return "CompiledFunctionBackward" in repr(result.grad_fn)


def test_a_group_is_one_node(device):
    args = operands(device)
    result = compiled_once(smooth, *args)(*args)
    assert in_one_node(result) == gpukit._core.has_chains(device)
    assert "AddBackward0" in repr(smooth(*args).grad_fn)
    if in_one_node(result):
        assert len(result.grad_fn.next_functions) == len(args)


def test_inputs_that_are_broadcast(device):
    def layer(x, weight, bias, factor):
        return gpukit.tanh(x * weight + bias) * bias * factor + bias

    shapes = ((4, 1, 6), (5, 6), (6,), (1, 1))
    args = [gpukit.randn(*shape, device=device).requires_grad_() for shape in shapes]
    compiled = compiled_once(layer, *args)
    for _ in range(2):
        assert_same(
            gpukit.autograd.grad(compiled(*args).sum(), args),
            gpukit.autograd.grad(layer(*args).sum(), args),
        )


def test_second_derivatives(device):
    args = operands(device)
    compiled = compiled_once(smooth, *args)
    found = []
    for function in (smooth, compiled):
        first = gpukit.autograd.grad(function(*args).sum(), args, create_graph=True)
        total = sum((each * each).sum() for each in first)
        found.append([*first, *gpukit.autograd.grad(total, args)])
    assert_same(found[1], found[0])


def test_several_results_of_which_some_are_used(device):
    def parts(x, w, b):
        a = gpukit.exp(-x * x) * w
        c = a * b + x
        return a, c, gpukit.sigmoid(c) * a, c > 0

    args = operands(device)
    compiled = compiled_once(parts, *args)
    for used in ((0, 1, 2), (0,), (1,), (2,), (0, 2)):
        found = []
        for function in (parts, compiled):
            values = function(*args)
            assert not values[3].requires_grad
            total = sum((values[i] * (i + 1)).sum() for i in used)
            found.append(gpukit.autograd.grad(total, args, allow_unused=True))
        for got, wanted in zip(*found, strict=True):
            assert (got is None) == (wanted is None)
            assert got is None or same_bits(got, wanted)


def test_gradients_of_some_inputs_and_results_between(device):
    args = operands(device)
    compiled = compiled_once(smooth, *args)
    for wanted in ([args[1]], [args[2], args[0]]):
        assert_same(
            gpukit.autograd.grad(compiled(*args).sum(), wanted),
            gpukit.autograd.grad(smooth(*args).sum(), wanted),
        )
    given = [each * 2 for each in args]  # no leaves
    again = smooth(*given), compiled(*given)
    found = [gpukit.autograd.grad(each.sum(), given, retain_graph=True) for each in again]
    assert_same(found[1], found[0])
    again[1].sum().backward()
    with pytest.raises(gpukit.errors.AutogradError):
        again[1].sum().backward()


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_hear_what_they_hear_of_the_function(device, create_graph):
    heard = []
    for function in (smooth, compiled_once(smooth, *operands(device))):
        args = operands(device)
        own = {}
        for place, each in enumerate(args):
            each.register_hook(lambda g, place=place, own=own: own.update({place: g}) or g * 2)
            each.register_post_accumulate_grad_hook(
                lambda leaf, place=place, own=own: own.update({10 + place: leaf.grad})
            )
        result = function(*args)
        result.register_hook(lambda g, own=own: own.update({20: g}) or g * 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the cycle, which ends below
            result.sum().backward(create_graph=create_graph)
        heard.append([own[key].detach() for key in sorted(own)])
        own.clear()
        for each in args:
            each.grad = None
    assert len(heard[0]) == 7
    assert_same(*heard)


def test_an_input_changed_between_forward_and_backward(device):
    x, w, b = operands(device)
    compiled = compiled_once(smooth, x, w, b)
    inner = x * 1
    result = compiled(inner, w, b)
    inner.add_(1)
    with pytest.raises(gpukit.errors.AutogradError, match="changed in place"):
        result.sum().backward()


def test_what_is_changed_in_place_inside(device):
    def change(x, w):
        made = gpukit.tanh(x) * w + 1
        made.mul_(w)
        return made * 2 + x

    args = operands(device)[:2]
    compiled = compiled_once(change, *args)
    assert_same(
        gpukit.autograd.grad(compiled(*args).sum(), args),
        gpukit.autograd.grad(change(*args).sum(), args),
    )


def test_parts_without_gradients(device):
    def mixed(x, w):
        with gpukit.no_grad():
            scale = gpukit.exp(-x * x) + 1
        return gpukit.tanh(x * scale) * w.detach() + w * scale

    args = operands(device)[:2]
    compiled = compiled_once(mixed, *args)
    found = [gpukit.autograd.grad(function(*args).sum(), args) for function in (mixed, compiled)]
    assert_same(found[1], found[0])
    with gpukit.no_grad():
        assert not compiled(*args).requires_grad
        assert same_bits(compiled(*args), mixed(*args))


def test_autocast_runs_the_function_as_written(device):
    def product(x, w):
        return gpukit.tanh((x * 2 + 1) @ w.T) * 0.5 + 1

    args = operands(device)[:2]
    compiled = compiled_once(product, *args)
    with gpukit.autocast(device.type):
        found = [function(*args) for function in (product, compiled)]
    assert found[0].dtype == found[1].dtype != gpukit.float32
    assert same_bits(found[1], found[0])
    assert compiled.explain().traces == 1


@pytest.mark.parametrize("activation", ["silu", "elu", "leaky_relu", "gelu", "softplus"])
def test_a_compiled_model_trains_as_the_model_does(device, activation):
    def trained(compiles):
        gpukit.manual_seed(3)
        layers = [gpukit.nn.Linear(6, 8), gpukit.nn.Linear(8, 2)]

        class Net(gpukit.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = layers

            def forward(self, x):
                hidden = self.first(x)
                hidden = getattr(gpukit.nn.functional, activation)(hidden) * 1.5 + 0.5
                return self.last(hidden)

        net = Net().to(device)
        model = gpukit.compile(net, backend="tiles") if compiles else net
        optimizer = gpukit.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        x = gpukit.linspace(-1, 1, 60, device=device).reshape(10, 6)
        for _ in range(4):
            optimizer.zero_grad()
            (model(x) ** 2).mean().backward()
            optimizer.step()
        return [each.detach() for each in net.parameters()]

    assert_same(trained(True), trained(False))


def test_threads_share_a_derivative(device):
    args = operands(device)
    compiled = compiled_once(smooth, *args)
    expected = gpukit.autograd.grad(smooth(*args).sum(), args)
    faults = []

    def work():
        mine = operands(device)
        for _ in range(10):
            found = gpukit.autograd.grad(compiled(*mine).sum(), mine)
            if not all(map(same_bits, found, expected)):
                faults.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


class Work:
    """Adds up the bytes of the calls that nothing else has made."""

    def __init__(self):
        self.bytes = 0

    def after_operator(self, call):
        if call.depth == 0:
            self.bytes += call.work["bytes"]


def test_the_backward_pass_moves_inputs_and_gradients(device):
    def chain(x, y):
        return gpukit.tanh(x * y + 1) * x

    args = [gpukit.ones(1000, device=device).requires_grad_() for _ in range(2)]
    compiled = compiled_once(chain, *args)
    moved = []
    for function in (chain, compiled):
        for each in args:
            each.grad = None
        work = Work()
        result = function(*args)
        gradient = gpukit.ones(1000, device=device)
        with gpukit._core.observe(work, work=True):
            result.backward(gradient)
        moved.append(work.bytes)
    if gpukit._core.has_chains(device):
        assert moved[1] == 4000 * (2 + 1 + 2)
        assert moved[0] > 4 * moved[1]

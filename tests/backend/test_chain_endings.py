"""Chains that end in reductions: computed in the same pass, with the operators' bits."""

from __future__ import annotations

import pytest

import gpukit
from support.chains import same_bits

# Rows shorter than a window, of a window's size and longer; few results of many elements, which
# are shared out in pieces; one result.
SHAPES = (
    (3, 2),
    (700, 33),
    (5, 16384),
    (3, 40_001),
    (2, 300_007),
    (300_000,),
    (40, 30, 20),
)


def ends(device):
    return gpukit._core.reduces_in_chains(device)


def compiled_once(function, *args):
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    compiled(*args)
    return compiled


def assert_same(found, expected):
    for got, wanted in zip(found, expected, strict=True):
        assert same_bits(got, wanted)


def of_rows(a, b):
    made = gpukit.tanh(a * b + 0.5)
    last = {"dim": -1, "keepdim": True}
    return made.sum(dim=-1), made.mean(**last), (made * a).amax(-1), (made - b).norm(dim=-1)


def of_all(a, b):
    made = a * b - 0.25
    return made.sum(), made.mean(), (made * a).min(), made.norm(p=1), made


@pytest.mark.parametrize("function", [of_rows, of_all])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_endings_have_the_bits_of_the_operators(function, dtype, device):
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    for shape in SHAPES if device.type == "cpu" else SHAPES[:2]:
        a, b = (gpukit.randn(*shape, device=device).to(getattr(gpukit, dtype)) for _ in range(2))
        for _ in range(2):
            assert_same(compiled(a, b), function(a, b))
    if ends(device):
        assert "sum" not in compiled.explain().alone


def test_special_values(device):
    def function(a):
        made = a * 2
        return made.amax(-1), made.amin(-1), made.sum(-1), made.norm(dim=-1)

    rows = [
        [float("nan"), 1.0, float("inf"), 0.0],
        [0.0, -0.0, -0.0, 0.0],
        [1e-30, 3e-30, 0.0, -1e-40],
        [1e30, -2e37, 3e37, 1e10],
        [float("inf"), -float("inf"), 1.0, 2.0],
    ]
    a = gpukit.tensor(rows, device=device)
    compiled = compiled_once(function, a)
    assert_same(compiled(a), function(a))


def test_what_is_too_small_runs_as_operators(device):
    def function(a):
        return (a * 2 + 1).sum(-1), (a * 3).mean(-1)

    compiled = compiled_once(function, gpukit.ones(4, 5, device=device))
    for shape in ((4, 1), (0, 5), (4, 0)):
        a = gpukit.randn(*shape, device=device)
        assert_same(compiled(a), function(a))


def test_one_number(device):
    def function(a):
        made = a * 2 + 1
        return made.sum(-1), made.mean()

    a = gpukit.tensor(3.0, device=device)
    assert_same(compiled_once(function, a)(a), function(a))


def test_bytes_are_those_of_inputs_and_results(device):
    def loss(a, b):
        return ((a - b) * (a - b)).mean()

    a, b = gpukit.ones(1000, device=device), gpukit.zeros(1000, device=device)
    compiled = compiled_once(loss, a, b)
    group = compiled.explain().groups[0]
    assert group.bytes_after == (8004 if ends(device) else 12_000)
    assert ("mean" in group.operators) == ends(device)


def test_a_softmax_written_out(device):
    def softmax(x):
        power = gpukit.exp(x * 2 - (x * 2).amax(-1, keepdim=True))
        return power / power.sum(-1, keepdim=True)

    x = gpukit.randn(50, 300, device=device)
    compiled = compiled_once(softmax, x)
    assert same_bits(compiled(x), softmax(x))
    if ends(device):
        assert compiled.explain().alone == ()


def loss_of(a, b, w):
    return ((gpukit.tanh(a * w) - b) * 2).mean(), (a * w).exp().sum()


def leaves(device):
    a, b, w = (gpukit.randn(*shape, device=device) for shape in ((6, 50), (6, 50), (50,)))
    return a.requires_grad_(), b, w.requires_grad_()


def test_gradients_are_the_bits_of_the_operators(device):
    args = leaves(device)
    compiled = compiled_once(loss_of, *args)
    wanted = gpukit.autograd.grad(sum(loss_of(*args)), (args[0], args[2]))
    values = compiled(*args)
    assert_same(values, loss_of(*args))
    assert_same(gpukit.autograd.grad(sum(values), (args[0], args[2])), wanted)
    if ends(device):
        assert "CompiledFunctionBackward" in repr(values[0].grad_fn)
        assert not compiled.explain().alone


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "norm"])
def test_gradients_of_rows(name, keepdim, device):
    def rows(a, b, w):
        return getattr(gpukit.sigmoid(a * w) * b, name)(dim=-1, keepdim=keepdim)

    args = leaves(device)
    compiled = compiled_once(rows, *args)
    found = []
    for function in (rows, compiled):
        value = function(*args)
        weights = gpukit.linspace(-1, 2, value.numel(), device=device).reshape(value.shape)
        found.append(gpukit.autograd.grad(value, (args[0], args[2]), weights))
    assert_same(*found)


def test_gradients_of_gradients(device):
    args = leaves(device)
    compiled = compiled_once(loss_of, *args)
    found = []
    for function in (loss_of, compiled):
        first = gpukit.autograd.grad(function(*args)[0], (args[0], args[2]), create_graph=True)
        found.append(gpukit.autograd.grad((first[0] * first[0]).sum(), (args[0], args[2])))
    assert_same(*found)


def test_a_value_that_others_read_too(device):
    def function(a, b, w):
        made = gpukit.tanh(a * w)
        return made.sum(), made * b, made.mean(-1)

    args = leaves(device)
    compiled = compiled_once(function, *args)
    found = []
    for each in (function, compiled):
        total, product, means = each(*args)
        found.append(gpukit.autograd.grad(total + product.sum() + means.sum(), (args[0], args[2])))
    assert_same(*found)

"""Which operators of nn.functional join one chain, and what explain() says of reductions."""

from __future__ import annotations

import pytest

import gpukit

F = gpukit.nn.functional


@pytest.mark.parametrize(
    "name",
    """
    relu6 hardswish elu hardtanh selu celu hardsigmoid mish silu gelu leaky_relu softsign tanhshrink
    hardshrink relu
    """.split(),  # noqa: SIM905
)
def test_activations_join_what_stands_around_them(name):
    activation = getattr(F, name)
    compiled = gpukit.compile(lambda x, y: activation(x * 2) + y, fullgraph=True, backend="tiles")
    x, y = gpukit.randn(60) * 3, gpukit.randn(60)
    expected = activation(x * 2) + y
    for _ in range(2):
        assert gpukit.equal(compiled(x, y), expected)
    explained = compiled.explain()
    assert len(explained.groups) == 1
    assert set(explained.alone) <= {"zeros"}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_squared_errors_join_where_no_gradient_is_recorded(reduction, dtype):
    def loss(x, y):
        return F.mse_loss(gpukit.tanh(x), y * 0.5, reduction=reduction)

    compiled = gpukit.compile(loss, fullgraph=True, backend="tiles")
    for shape in ((70, 301), (3, 40_000), (1,), (2, 2)):
        x, y = (gpukit.randn(shape).to(dtype) for _ in range(2))
        for _ in range(2):
            assert gpukit.equal(compiled(x, y), loss(x, y))
    operators = compiled.explain().groups[0].operators
    assert operators[:4] == ("tanh", "mul", "sub", "square")
    x = gpukit.randn(30).to(dtype).requires_grad_()
    for _ in range(2):
        (found,) = gpukit.autograd.grad(compiled(x, x.detach()).sum(), x)
        (wanted,) = gpukit.autograd.grad(loss(x, x.detach()).sum(), x)
        assert gpukit.equal(found, wanted)


def test_a_cast_that_converts_nothing_gives_the_tensor_itself():
    compiled = gpukit.compile(lambda x: (x.float(), x.to("float32") * 2 + 1), backend="tiles")
    x = gpukit.randn(5)
    for _ in range(2):
        same, _ = compiled(x)
        assert same is x
    assert compiled(x.double())[0] is not x
    with gpukit.no_grad():
        copied = gpukit.compile(lambda x: x.to("float32", copy=True) * 2 + 1, backend="tiles")
        for _ in range(2):
            assert gpukit.equal(copied(x), x * 2 + 1)


def test_why_a_reduction_stands_alone():
    def ended(function, *args):
        compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
        compiled(*args)
        return str(compiled.explain())

    x = gpukit.randn(6, 7)
    assert "a reduction over dimensions that are not the last" in ended(
        lambda x: (x * 2 + 1).sum(0), x
    )
    assert "a reduction of gpukit.int64" in ended(lambda x: (x * 2 + 1).sum(), x.long())
    w = x.clone().requires_grad_()
    assert "a gradient that reads the values" in ended(lambda x: (x * 2 + 1).amax(), w)

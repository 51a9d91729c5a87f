"""Chains over rows that read their own reductions: the operators' bits, in one pass of blocks."""

from __future__ import annotations

import random

import pytest

import gpukit
from gpukit._compile.rows import RowChain
from support.chains import same_bits


def softmax(x, y):
    power = gpukit.exp(x * 2.0 - (x * 2.0).amax(-1, keepdim=True))
    return power / power.sum(-1, keepdim=True) * y


def normalized(x, y):
    shifted = x + 0.0
    centred = x - shifted.mean(-1, keepdim=True)
    scale = gpukit.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)
    return centred * scale * y, scale


def of_two_dims(x, y):
    z = x * y + 1
    return z - z.sum((-2, -1), keepdim=True), z.amin((-2, -1), keepdim=True) * z


def to_rows(x, y):
    z = gpukit.tanh(x) * y
    share = z / (z * z).sum(-1, keepdim=True)
    return (share * 3 + z).sum(-1), share.mean(-1)


def unlike(x, y):
    z = x * 2 + y
    return z * z.sum(0, keepdim=True), (z + 1) - (z * z).sum(-1, keepdim=True), (z * 3).sum(-1) + 1


FUNCTIONS = [softmax, normalized, of_two_dims, to_rows, unlike]


def check(function, *args):
    compiled = gpukit.compile(function, fullgraph=True, backend="tiles")
    expected = function(*args)
    for _ in range(2):
        found = compiled(*args)
        pairs = zip(found, expected, strict=True) if type(found) is tuple else [(found, expected)]
        assert all(same_bits(a, b) for a, b in pairs)
    return compiled


def rows_of(compiled):
    (entry,) = compiled._traced
    return [part for part, _ in compiled._prepared(entry).replay._parts if type(part) is RowChain]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_are_those_of_the_operators(function, dtype):
    shapes = [
        (3, 70, 33),
        (1000, 9),
        (2, 40_000),
        (5, 16_384),
        (1, 7),
        (4, 1),
        (3, 20_000),
        (40, 65),
    ]
    for shape in shapes:
        x, y = (gpukit.randn(shape).to(dtype) for _ in range(2))
        check(function, x, y)
        check(function, x, y[..., :1])
        check(function, x, y.reshape(-1)[: shape[-1]])
        check(function, x[..., ::2], y[..., ::2])
        check(function, x.mT, y.mT)
        if function is not of_two_dims:
            check(function, x[:0], y[:0])


def test_one_trace_serves_other_shapes():
    compiled = gpukit.compile(softmax, fullgraph=True, backend="tiles")
    for shape in ((4, 5), (40, 65), (1, 40_000), (64, 1), (0, 3), (2, 3, 5)):
        x, y = gpukit.randn(shape), gpukit.randn(shape)
        for other in (y, y[:, :1], gpukit.tensor(2.0)):
            assert same_bits(compiled(x, other), softmax(x, other))


def test_a_softmax_is_one_pass_and_only_what_is_read_is_kept():
    x, y = gpukit.randn(40, 65), gpukit.randn(40, 65)
    (rows,) = rows_of(check(softmax, x, y))
    assert len(rows._results) == 1
    (rows,) = rows_of(check(normalized, x, y))
    assert len(rows._results) == 2  # what stands between reductions, of one number a row, is in it
    assert len(rows._parts) == 4


def test_what_explain_says():
    x, y = gpukit.randn(40, 65), gpukit.randn(40, 65)
    explained = check(softmax, x, y).explain()
    # `x * 2.0` is written twice and computed once.
    assert explained.rows == (("mul", "amax", "sub", "exp", "sum", "div", "mul"),)
    assert "block by block of rows: mul amax sub exp sum div mul" in str(explained)
    assert not explained.alone


def test_results_that_are_equal_are_tensors_of_their_own():
    def twice(x):
        a, b = x * 2, x * 2
        return a, b, a + b, (x * 2 + 1) - (x * 2.0 + 1)

    compiled = check(twice, gpukit.randn(40))
    a, b, _, _ = compiled(gpukit.ones(40))
    a.zero_()
    assert b.sum().item() == 80


def test_a_row_that_would_be_read_crosswise_is_none():
    def crosswise(x):
        z = x * 2 + 1
        return z - z.sum(-1) * 2

    compiled = check(crosswise, gpukit.randn(30, 30))
    assert not rows_of(compiled)


def test_gradients_go_by_the_operators():
    x, y = gpukit.randn(30, 40).requires_grad_(), gpukit.randn(30, 40)
    compiled = gpukit.compile(softmax, backend="tiles")
    for _ in range(2):
        (found,) = gpukit.autograd.grad(compiled(x, y).square().sum(), x)
        (wanted,) = gpukit.autograd.grad(softmax(x, y).square().sum(), x)
        assert same_bits(found, wanted)
    with gpukit.no_grad():
        check(softmax, x, y)


F32 = gpukit.float32


@pytest.mark.parametrize(
    "stages",
    [
        [],
        [3],
        [("no chain", [0], [True])],
        [(gpukit._core.Chain([F32], [("neg", (0,), None)], [1]), [1], [True])],
        [(gpukit._core.Chain([F32], [("neg", (0,), None)], [1]), [-1], [True])],
        [(gpukit._core.Chain([F32], [("neg", (0,), None)], [1]), [], [True])],
        [(gpukit._core.Chain([F32], [("neg", (0,), None)], [1]), [0], [])],
        [(gpukit._core.Chain([F32], [("neg", (0,), None)], []), [0], [])],
    ],
)
def test_stages_that_are_refused(stages):
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError)):
        gpukit._core.ChainRows(stages).run([gpukit.ones(3, 4)])


def test_stages_that_do_not_fit_run_one_by_one():
    chain = gpukit._core.Chain([F32], [("neg", (0,), None)], [1], [("sum", 1, 1, True)])
    rows = gpukit._core.ChainRows([(chain, [0], [True, True])])
    made, total = rows.run([gpukit.ones(3, 4)])
    assert (made.sum().item(), total.tolist()) == (-12, [[-4]] * 3)
    for other in (gpukit.ones(4), gpukit.ones(3, 4).double()):
        assert rows.run([other]) is None
    with pytest.raises((ValueError, TypeError)):
        rows.run([])
    with pytest.raises(TypeError):
        rows.run([3])


def drawn(seed):
    """A function of random stages over rows."""
    draw = random.Random(seed)
    lines = ["z = x * 1.5 + y"]
    for _ in range(draw.randint(2, 6)):
        name = draw.choice(["sum", "mean", "amax", "amin", "norm"])
        keep = draw.random() < 0.9
        lines.append(f"r = z.{name}(dim=-1, keepdim={keep})")
        used = draw.choice(["z - r", "z / r", "gpukit.tanh(z * r) + x", "z * 0.5 + r * y", "z + 1"])
        lines.append(f"z = {used if keep else 'z * 0.5 - x'}")
        if draw.random() < 0.3:
            lines.append(f"out.append({draw.choice(['z', 'r', 'z * r' if keep else 'r + 1'])})")
    text = "\n    ".join(["def made(x, y):", "out = []", *lines, "return (z, r, *out)"])
    names = {"gpukit": gpukit}
    exec(text, names)
    return names["made"]


@pytest.mark.parametrize("seed", range(60))
def test_random_stages(seed):
    function = drawn(seed)
    shape = random.Random(seed).choice([(7, 33), (300, 130), (2, 5, 17), (3, 9000)])
    x, y = gpukit.randn(shape), gpukit.rand(shape) + 0.5
    compiled = gpukit.compile(function, backend="tiles")
    for _ in range(2):
        pairs = zip(compiled(x, y), function(x, y), strict=True)
        assert all(same_bits(a, b) for a, b in pairs)


def test_many_of_the_random_stages_run_by_rows():
    found = 0
    for seed in range(60):
        compiled = gpukit.compile(drawn(seed), backend="tiles")
        x, y = gpukit.randn(7, 33), gpukit.rand(7, 33) + 0.5
        for _ in range(2):
            compiled(x, y)
        found += bool(rows_of(compiled))
    assert found >= 20

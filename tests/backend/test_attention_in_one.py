"""Attention as one operation of the CPU: values and gradients beside float64, at its borders."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit.nn import functional
from gpukit.nn._attention_in_one import in_one
from gpukit.nn._attention_tiles import Weighing, whole

RNG = np.random.default_rng(23)
# batch, queries, keys, size, values: around blocks of 128 keys and panels of up to 32 queries,
# fewer keys than queries and the other way round, groups of panels.
SIZES = [
    (2, 40, 50, 8, 8),
    (1, 1, 300, 16, 5),
    (3, 129, 127, 7, 33),
    (1, 300, 20, 4, 4),
    (2, 260, 259, 37, 70),
    (1, 33, 1, 1, 1),
    (2, 1100, 261, 5, 9),  # several groups of the queries of each product
]


def draw(*sizes):
    return RNG.standard_normal(sizes).astype(np.float32)


def results(function, arrays, gradient, dtype):
    inputs = [gpukit.tensor(each, dtype=dtype, requires_grad=True) for each in arrays]
    out = function(*inputs)
    out.backward(gpukit.tensor(gradient, dtype=dtype))
    return [each.numpy() for each in (out.detach(), *(each.grad for each in inputs))]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_values_and_gradients(sizes, causal, threads):
    batch, length, keys, size, values = sizes
    arrays = (draw(batch, length, size), draw(batch, keys, size), draw(batch, keys, values))
    gradient = draw(batch, length, values)
    call = Weighing(None, causal, size**-0.5, 0.0)
    before = gpukit.get_num_threads()
    gpukit.set_num_threads(threads)
    try:
        mine = results(lambda *t: in_one(call, *t, (batch,)), arrays, gradient, gpukit.float32)
    finally:
        gpukit.set_num_threads(before)
    exact = results(lambda *t: whole(call, *t), arrays, gradient, gpukit.float64)
    for one, other in zip(mine, exact, strict=True):
        np.testing.assert_allclose(one, other, 0, 3e-6 * max(1, np.abs(other).max()))


@pytest.mark.parametrize("causal", [False, True])
def test_bits_do_not_depend_on_the_threads(causal):
    """The groups of queries that share keys are smaller where more threads wait for work."""
    arrays = [gpukit.tensor(draw(3, *sizes)) for sizes in ((700, 20), (650, 20), (650, 12))]
    before, found = gpukit.get_num_threads(), []
    for threads in (1, 2, 5):
        gpukit.set_num_threads(threads)
        try:
            found.append(_core.attention_in_one(*arrays, 0.3, causal))
        finally:
            gpukit.set_num_threads(before)
    for out, log_sums in found[1:]:
        np.testing.assert_array_equal(out.numpy(), found[0][0].numpy())
        np.testing.assert_array_equal(log_sums.numpy(), found[0][1].numpy())


@pytest.mark.parametrize("rise", [3.0, 6.0, 30.0, 90.0, -90.0])
def test_scores_that_rise_from_block_to_block(rise):
    """A sum is scaled only where the largest score has grown by more than 8 powers of 2."""
    q, k, v = draw(1, 35, 4), draw(1, 700, 4), draw(1, 700, 6)
    q[..., 0], k[..., 0] = 1, np.arange(700) // 128 * rise
    q[0, ::2, 0] = 0  # every second query sees no rise
    gradient = draw(1, 35, 6)
    call = Weighing(None, False, 0.9, 0.0)
    mine = results(lambda *t: in_one(call, *t, (1,)), (q, k, v), gradient, gpukit.float32)
    exact = results(lambda *t: whole(call, *t), (q, k, v), gradient, gpukit.float64)
    for one, other in zip(mine, exact, strict=True):
        # Scores to 500 are rounded to 3e-5.
        np.testing.assert_allclose(one, other, 0, 1e-4 * max(1, np.abs(other).max()))


def test_a_factor_of_any_sign():
    arrays = [draw(2, 130, 5) for _ in range(3)]
    for factor in (-0.7, 0.0, 2.5):
        call = Weighing(None, True, factor, 0.0)
        mine = in_one(call, *(gpukit.tensor(each) for each in arrays), (2,))
        exact = whole(call, *(gpukit.tensor(each).double() for each in arrays))
        np.testing.assert_allclose(mine.numpy(), exact.numpy(), 0, 3e-6)


def test_other_queries_of_a_panel_do_not_change_a_result():
    q, k, v = draw(1, 64, 8), draw(1, 300, 8), draw(1, 300, 8)
    before = _core.attention_in_one(*(gpukit.tensor(each) for each in (q, k, v)), 1.0, False)
    q[0, 1::2] *= 40
    q[0, 3] = np.nan
    after = _core.attention_in_one(*(gpukit.tensor(each) for each in (q, k, v)), 1.0, False)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.numpy()[0, ::2], other.numpy()[0, ::2])


def test_long_float32_takes_this_way_and_others_do_not(monkeypatch):
    taken = []
    monkeypatch.setattr(
        "gpukit.nn._attention.in_one", lambda *given: taken.append(given) or in_one(*given)
    )
    x = gpukit.rand(2, 2, 300, 4).transpose(1, 2).contiguous().transpose(1, 2)
    y = functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    assert len(taken) == 1
    z = functional.scaled_dot_product_attention(x.double(), x.double(), x.double(), is_causal=True)
    mask = gpukit.ones(300, 300).tril().bool()
    m = functional.scaled_dot_product_attention(x, x, x, mask)
    assert len(taken) == 1
    for other in (z, m):
        np.testing.assert_allclose(y.numpy(), other.numpy(), 1e-5, 1e-6)


def test_infinite_and_nan_scores_are_those_of_a_softmax():
    q, k, v = draw(1, 40, 2), draw(1, 200, 2), draw(1, 200, 3)
    q[0, :, 0] = np.abs(q[0, :, 0]) + 0.5
    k[0, :130, 0] = -np.inf  # a whole block of keys weighs nothing
    q[0, 3, 1] = np.nan
    q[0, 5] = np.inf
    call = Weighing(None, False, 1.0, 0.0)
    tensors = [gpukit.tensor(each) for each in (q, k, v)]
    mine, wanted = in_one(call, *tensors, (1,)).numpy(), whole(call, *tensors).numpy()
    np.testing.assert_allclose(mine, wanted, 1e-5, 1e-6)
    assert np.isnan(mine[0, 3]).all()
    assert np.isfinite(mine[0, 0]).all()


def test_second_derivatives():
    arrays = [draw(1, 5, 3), draw(1, 6, 3), draw(1, 6, 2)]
    call = Weighing(None, False, 0.7, 0.0)
    found = []
    for way in (lambda *t: in_one(call, *t, (1,)), lambda *t: whole(call, *t)):
        inputs = [gpukit.tensor(each, requires_grad=True) for each in arrays]
        first = gpukit.autograd.grad(way(*inputs).square().sum(), inputs, create_graph=True)
        total = sum(each.square().sum() for each in first)
        found.append([each.numpy() for each in gpukit.autograd.grad(total, inputs)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, 1e-3, 1e-4)


WRONG = [
    lambda x: _core.attention_in_one(x[0], x, x, 1.0, False),
    lambda x: _core.attention_in_one(x, x[:, :, :2], x, 1.0, False),
    lambda x: _core.attention_in_one(x, x, x[:, :3], 1.0, False),
    lambda x: _core.attention_in_one(x, x[:1], x, 1.0, False),
    lambda x: _core.attention_in_one(x.double(), x.double(), x.double(), 1.0, False),
    lambda x: _core.attention_in_one(x, x, x.double(), 1.0, False),
    lambda x: _core.attention_in_one(x[:0], x[:0], x[:0], 1.0, False),
    lambda x: _core.attention_in_one_back(x, x, x, x, x, x, 1.0, False),
]


@pytest.mark.parametrize("call", WRONG)
def test_operands_that_do_not_fit_are_refused(call):
    with pytest.raises(gpukit.GpukitError):
        call(gpukit.ones(2, 4, 3))

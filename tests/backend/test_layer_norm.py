"""layer_norm on every device: NumPy in float64 is the yardstick."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional as F
from support.arrays import fetch, put

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-6, "float64": 1e-13}
# Around the width of a vector, of a warp and of a block of sums, and past what one warp takes.
COLUMNS = (1, 2, 15, 16, 17, 31, 33, 64, 127, 1024, 1025, 2500)


def normal(x, weight=1.0, bias=0.0, eps=1e-5):
    x = x.astype(np.float64)
    deviation = np.sqrt(x.var(-1, keepdims=True) + eps)
    return (x - x.mean(-1, keepdims=True)) / deviation * weight + bias


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_rows_of_every_length(dtype, columns, device):
    rng = np.random.default_rng(columns)
    x, weight, bias = (rng.standard_normal(shape) for shape in ((3, columns), columns, columns))
    tensors = [put(a, device).to(gpukit.dtype(dtype)) for a in (x, weight, bias)]
    wide = [fetch(t.double()) for t in tensors]
    for given in ([0], [0, 1], [0, 1, 2]):
        got = F.layer_norm(tensors[0], (columns,), *(tensors[i] for i in given[1:]))
        assert got.dtype == gpukit.dtype(dtype)
        want = normal(*(wide[i] for i in given))
        scale = np.abs(want).max() + 1
        np.testing.assert_allclose(fetch(got.double()), want, atol=TOLERANCE[dtype] * scale, rtol=0)


def test_bias_without_weight(device):
    x = put(np.float32([[1, 3], [5, 9]]), device)
    got = F.layer_norm(x, (2,), None, put(np.float32([10, 20]), device), eps=0.0)
    assert fetch(got).tolist() == [[9.0, 21.0], [9.0, 21.0]]


def test_a_small_deviation_beside_a_large_mean_is_kept(device):
    x = np.float32(16_000_000) + np.arange(64, dtype=np.float32)
    want = normal(x[None])[0]
    np.testing.assert_allclose(fetch(F.layer_norm(put(x, device), (64,))), want, atol=1e-3)


def test_rows_too_large_for_the_caches_of_the_cpu():
    for columns in (1024, 1023):  # the second fills no whole vectors
        x = np.random.default_rng(1).standard_normal((4100, columns), dtype=np.float32)
        got = fetch(F.layer_norm(gpukit.tensor(x), (columns,)))
        np.testing.assert_allclose(got, normal(x), atol=1e-5)
        powers = np.exp(x.astype(np.float64))
        shares = fetch(gpukit.softmax(gpukit.tensor(x), 1))
        np.testing.assert_allclose(shares, powers / powers.sum(1, keepdims=True), rtol=2e-5)


def test_nan_and_infinity_stay_in_their_row(device):
    x = np.ones((4, 40), np.float32)
    x[:, ::2] = -1
    x[0, 3], x[2, 39] = np.nan, np.inf
    got = fetch(F.layer_norm(put(x, device), (40,), eps=0.0))
    assert np.isnan(got[0]).all() and np.isnan(got[2]).any()
    np.testing.assert_allclose(got[[1, 3]], x[[1, 3]], rtol=1e-6)


def test_equal_elements_give_the_bias(device):
    x = put(np.full((2, 37), 0.1, np.float32), device)
    bias = put(np.arange(37, dtype=np.float32), device)
    got = fetch(F.layer_norm(x, (37,), None, bias))
    np.testing.assert_allclose(got, np.arange(37)[None].repeat(2, 0), atol=1e-4)


def test_views_and_several_dimensions(device):
    x = np.random.default_rng(2).standard_normal((4, 5, 6)).astype(np.float32)
    got = F.layer_norm(put(x, device).transpose(0, 2), (5, 4))
    want = normal(x.transpose(2, 1, 0).reshape(6, 20)).reshape(6, 5, 4)
    np.testing.assert_allclose(fetch(got), want, atol=3e-6)
    odd = F.layer_norm(put(x, device)[:, :, 1:], (5,))
    np.testing.assert_allclose(fetch(odd), normal(x[:, :, 1:]), atol=3e-6)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_elements(shape, device):
    x = gpukit.zeros(shape, device=device, requires_grad=True)
    weight = gpukit.ones(shape[1], device=device, requires_grad=True)
    out = F.layer_norm(x, (shape[1],), weight)
    out.sum().backward()
    assert tuple(out.shape) == tuple(x.grad.shape) == shape
    assert fetch(weight.grad).tolist() == [0.0] * shape[1]


@pytest.mark.parametrize("parts", ["input", "weight", "bias", "all", "in two dimensions"])
def test_gradients_are_those_of_differences(parts, device):
    rng = np.random.default_rng(3)
    sizes = (2, 3) if parts == "in two dimensions" else (5,)
    arrays = (rng.standard_normal(shape) for shape in ((4, *sizes), sizes, sizes))
    x, weight, bias = (put(a, device) for a in arrays)
    x.requires_grad_(parts in {"input", "all", "in two dimensions"})
    weight.requires_grad_(parts in {"weight", "all", "in two dimensions"})
    bias.requires_grad_(parts in {"bias", "all"})
    assert gpukit.autograd.gradcheck(
        lambda *tensors: F.layer_norm(tensors[0], sizes, *tensors[1:]), (x, weight, bias)
    )


def test_gradients_of_half_types_come_in_their_dtype(device):
    x = np.random.default_rng(4).standard_normal((3, 8)).astype(np.float16)
    grads = []
    for dtype in (gpukit.float16, gpukit.float64):
        given = put(x, device).to(dtype).requires_grad_()
        weight = gpukit.full((8,), 2.0, dtype=dtype, device=device, requires_grad=True)
        (F.layer_norm(given, (8,), weight) ** 2).sum().backward()
        assert given.grad.dtype == weight.grad.dtype == dtype
        grads.append((fetch(given.grad.double()), fetch(weight.grad.double())))
    for half, exact in zip(*grads, strict=True):
        np.testing.assert_allclose(half, exact, atol=2e-2, rtol=5e-3)


def test_wrong_companions(device):
    x = gpukit.zeros(2, 3, device=device)
    with pytest.raises(gpukit.ShapeError, match=r"weight is \(2,\); \(3,\) is needed"):
        F.layer_norm(x, (3,), gpukit.ones(2, device=device))
    with pytest.raises(gpukit.DTypeError, match=r"Use bias.to\('float32'\)"):
        F.layer_norm(x, (3,), None, gpukit.ones(3, dtype=gpukit.float64, device=device))
    with pytest.raises(gpukit.ShapeError, match="its last sizes must be"):
        F.layer_norm(x, (2,))


@pytest.mark.parametrize("columns", [33, 100, 768, 5000])
def test_rows_that_hardly_differ_beside_a_large_mean(columns, device):
    rng = np.random.default_rng(columns)
    for mean in (12345.67, 1e6, 1e7):
        rows = [np.full(columns, mean), mean + rng.standard_normal(columns)]
        data = np.stack(rows).astype(np.float32)
        exact = data.astype(np.float64)
        centred = exact - exact.mean(1, keepdims=True)
        want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
        got = fetch(F.layer_norm(put(data, device), (columns,)))
        np.testing.assert_allclose(got, want, atol=1e-4)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_whole_numbers_give_the_default_dtype_and_one_size_is_the_last(dtype, device):
    x = np.array([[0, 1, 3, 0], [1, 0, 0, 7]]).astype(dtype)
    got = F.layer_norm(put(x, device), 4, gpukit.ones(4, device=device))
    assert got.dtype == gpukit.float32
    np.testing.assert_allclose(fetch(got), normal(x), rtol=TOLERANCE["float32"], atol=1e-6)
    with pytest.raises(gpukit.DTypeError, match="float32"):
        F.layer_norm(put(x, device), 4, put(x[0], device))


@pytest.mark.parametrize("given", [("weight",), ("bias",), ("weight", "bias")])
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_half_inputs_take_parameters_of_float32(half, given, device):
    rng = np.random.default_rng(3)
    x = put(rng.standard_normal((5, 8)), device).to(gpukit.dtype(half)).requires_grad_()
    kept = {name: put(np.float32(rng.standard_normal(8)), device) for name in given}
    for tensor in kept.values():
        tensor.requires_grad_()
    got = F.layer_norm(x, (8,), **kept)
    want = normal(
        fetch(x.detach().double()), **{name: fetch(kept[name].detach()) for name in given}
    )
    assert got.dtype == x.dtype
    np.testing.assert_allclose(fetch(got.detach().double()), want, atol=TOLERANCE[half] * 4, rtol=0)
    got.sum().backward()
    assert x.grad.dtype == x.dtype
    assert all(tensor.grad.dtype == gpukit.float32 for tensor in kept.values())


@pytest.mark.parametrize("columns", [3, 7, 33, 300])
def test_equal_numbers_of_float64_are_0(columns):
    for value in np.random.default_rng(columns).standard_normal(20) * 10:
        x = gpukit.full((2, columns), value, dtype=gpukit.float64)
        assert not F.layer_norm(x, (columns,)).any()

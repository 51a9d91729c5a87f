"""Draws by weight and by mean, medians, counts and places, on every device."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import gpukit
from support.arrays import fetch, put, sample


def test_normal_of_a_size(device):
    drawn = gpukit.normal(3.0, 0.5, (200, 50), device=device)
    assert drawn.shape == (200, 50)
    assert abs(drawn.mean().item() - 3) < 0.05
    assert abs(drawn.std().item() - 0.5) < 0.05
    weight = gpukit.normal(0, 0.01, size=(2, 1), device=device, requires_grad=True)
    assert weight.is_leaf
    assert weight.requires_grad


def test_normal_of_tensors(device):
    mean = put(np.array([[0.0], [5.0]]), device)
    drawn = gpukit.normal(mean, put(np.zeros(3), device))
    assert fetch(drawn).tolist() == [[0.0] * 3, [5.0] * 3]
    assert gpukit.normal(mean).shape == (2, 1)


def test_normal_needs_a_size_or_a_tensor():
    for arguments in [(0, 1), (gpukit.ones(2), 1.0, (2,))]:
        with pytest.raises(TypeError, match="size"):
            gpukit.normal(*arguments)
    with pytest.raises(ValueError, match="std"):
        gpukit.normal(0, -1, (2,))


def test_the_same_seed_draws_the_same(device):
    weights = put(np.array([[0.1, 0.0, 0.9], [1.0, 1.0, 0.0]], "float32"), device)
    for draw in (gpukit.bernoulli, lambda x, **more: gpukit.multinomial(x, 2, **more)):
        a, b = (draw(weights, generator=gpukit.Generator().manual_seed(7)) for _ in range(2))
        assert gpukit.equal(a, b)


def test_bernoulli(device):
    chances = put(np.full((100, 100), 0.2), device)
    drawn = fetch(gpukit.bernoulli(chances))
    assert set(drawn.reshape(-1).tolist()) == {0.0, 1.0}
    assert abs(drawn.mean() - 0.2) < 0.02
    with pytest.raises(gpukit.DTypeError, match="float"):
        gpukit.bernoulli(gpukit.tensor([1]))


def test_multinomial(device):
    weights = put(np.array([1.0, 0.0, 3.0]), device)
    drawn = fetch(gpukit.multinomial(weights, 4000, replacement=True))
    counts = np.bincount(drawn, minlength=3) / 4000
    assert counts[1] == 0
    assert abs(counts[2] - 0.75) < 0.03
    rows = fetch(gpukit.multinomial(weights.expand(5, 3), 2))
    assert sorted(map(tuple, np.sort(rows, 1).tolist())) == [(0, 2)] * 5
    for wrong in (0, 3):
        with pytest.raises(ValueError, match="num_samples"):
            gpukit.multinomial(weights, wrong)


@pytest.mark.parametrize("weights", [[1, np.nan], [1, np.inf], [1, -1, 1], [[1, 1], [0, np.nan]]])
@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_refuses_what_is_no_weight(device, weights, replacement):
    with pytest.raises(ValueError, match=r"multinomial: input holds NaN"):
        gpukit.multinomial(put(np.array(weights, "float32"), device), 1, replacement=replacement)


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_of_no_rows(device, replacement):
    drawn = gpukit.multinomial(gpukit.ones(0, 3, device=device), 1, replacement=replacement)
    assert (drawn.shape, drawn.dtype) == ((0, 1), gpukit.int64)


def test_multinomial_draws_no_weight_of_0_when_the_draw_is_0(device, monkeypatch):
    core = SimpleNamespace(**vars(gpukit._core))
    core.rand_like = lambda x, **_: gpukit.zeros_like(x)
    monkeypatch.setattr("gpukit._operators.draws._core", core)
    drawn = gpukit.multinomial(put(np.array([0.0, 1.0, 2.0], "float32"), device), 2)
    assert sorted(drawn.tolist()) == [1, 2]


def test_multinomial_of_weights_at_the_ends_of_their_type(device):
    for weight in (3e38, 1e-45):
        drawn = gpukit.multinomial(put(np.full(4, weight, "float32"), device), 2000, True)
        assert sorted(set(drawn.tolist())) == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_draws_of_half_types_have_the_digits_of_float32(device, dtype):
    equal = gpukit.ones(2000, dtype=dtype, device=device)
    places = fetch(gpukit.multinomial(equal, 20000, replacement=True))
    assert len(set(places.tolist())) > 1990
    assert sorted(gpukit.multinomial(equal, 2000).tolist()) == list(range(2000))
    chance = gpukit.full((1000, 1000), 0.998, dtype=dtype, device=device)
    drawn = gpukit.bernoulli(chance)
    assert drawn.dtype == chance.dtype
    assert abs(drawn.float().mean().item() - chance[0, 0].item()) < 3e-4


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_median(device, dtype):
    array = sample(dtype, (4, 5, 6), seed=3)
    x = put(array, device)
    assert x.median().item() == np.sort(array.reshape(-1))[59]
    for dim in (0, 1, -1):
        pair = x.median(dim)
        want = np.sort(array, axis=dim).take((array.shape[dim] - 1) // 2, axis=dim)
        np.testing.assert_array_equal(fetch(pair.values), want)
        taken = x.gather(dim, pair.indices.unsqueeze(dim)).squeeze(dim)
        np.testing.assert_array_equal(fetch(taken), want)
        assert x.median(dim, keepdim=True).values.ndim == 3


def test_median_with_nan_and_gradient(device):
    x = put(np.array([[1.0, np.nan, 0.0], [4.0, 2.0, 3.0]]), device).requires_grad_()
    values, places = x.median(1)
    assert np.isnan(fetch(values.detach())[0])
    assert places.tolist() == [1, 2]
    values[1].backward()
    assert x.grad.tolist() == [[0.0] * 3, [0.0, 0.0, 1.0]]


def test_median_of_no_elements(device):
    nothing = gpukit.zeros(0, device=device, requires_grad=True)
    middle = nothing.median()
    assert np.isnan(middle.item())
    middle.backward()
    assert nothing.grad.shape == (0,)
    x = gpukit.zeros(0, 3, device=device)
    assert [part.shape for part in x.median(1)] == [(0,), (0,)]
    assert [part.shape for part in x.median(1, keepdim=True)] == [(0, 1), (0, 1)]
    for wrong in (lambda: x.median(0), lambda: nothing.long().median()):
        with pytest.raises(gpukit.ShapeError, match="no elements along dim 0"):
            wrong()


def test_bincount(device):
    numbers = np.array([0, 3, 3, 1])
    x, weights = put(numbers, device), np.array([0.5, 1.0, 2.0, 4.0])
    assert gpukit.bincount(x).tolist() == np.bincount(numbers).tolist()
    assert gpukit.bincount(x, minlength=6).tolist() == [1, 1, 0, 2, 0, 0]
    assert gpukit.bincount(x, put(weights, device)).tolist() == [0.5, 4.0, 0.0, 3.0]
    assert gpukit.bincount(x[:0], gpukit.ones(0, device=device)).dtype == gpukit.int64
    for wrong, error in [
        (gpukit.tensor([-1]), ValueError),
        (gpukit.ones(2), gpukit.DTypeError),
        (gpukit.tensor([[1]]), gpukit.ShapeError),
    ]:
        with pytest.raises(error, match="bincount"):
            gpukit.bincount(wrong)


def test_places(device):
    x = put(np.array([[0.0, 2.0], [3.0, 0.0]]), device)
    for rows, columns in (gpukit.where(x > 1), x.nonzero(as_tuple=True)):
        assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
    assert gpukit.argwhere(x).tolist() == [[0, 1], [1, 0]]
    assert [place.tolist() for place in gpukit.where(gpukit.tensor(True))] == [[0]]
    with pytest.raises(TypeError, match="neither"):
        gpukit.where(x > 1, 1.0)


def test_a_number_is_scattered(device):
    places = put(np.array([[0], [2]]), device)
    want = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert put(np.zeros((2, 3)), device).scatter_(1, places, 1).tolist() == want
    assert gpukit.scatter(put(np.zeros((2, 3)), device), 1, places, 1.0).tolist() == want


def test_numbers_for_what_is_none(device):
    x = put(np.array([np.nan, np.inf, -np.inf, 1.0], "float32"), device)
    largest = gpukit.finfo(gpukit.float32).max
    assert x.nan_to_num().tolist() == [0.0, largest, -largest, 1.0]
    assert x.nan_to_num(nan=1, posinf=2, neginf=3).tolist() == [1.0, 2.0, 3.0, 1.0]
    wild = {"nan": np.inf, "posinf": -np.inf, "neginf": 0.0}
    assert x.nan_to_num(**wild).tolist() == np.nan_to_num(fetch(x), **wild).tolist()


def test_rounding_to_decimals(device):
    x = put(np.array([1.2345, -167.25]), device)
    np.testing.assert_allclose(fetch(gpukit.round(x, decimals=2)), [1.23, -167.25])
    np.testing.assert_allclose(fetch(x.round(decimals=-1)), [0.0, -170.0])
    for dtype in ("float16", "bfloat16"):
        rounded = put(np.array([100.0, 0.5]), device).to(dtype).round(decimals=3)
        assert (str(rounded.dtype), rounded.tolist()) == (f"gpukit.{dtype}", [100.0, 0.5])
    with pytest.raises(gpukit.DTypeError, match="decimals"):
        gpukit.round(gpukit.tensor([15]), decimals=-1)


def test_like_another_tensor(device):
    x = put(np.ones(2, "float32"), device)
    full = x.new_full((2, 2), 7)
    assert (full.tolist(), full.device, full.dtype) == ([[7.0] * 2] * 2, x.device, x.dtype)
    moved = gpukit.tensor([1, 2]).type_as(x)
    assert (moved.device, moved.dtype) == (x.device, x.dtype)


def test_numbers_format_as_numbers(device):
    loss = put(np.array(0.5, "float32"), device).requires_grad_()
    assert f"{loss} {loss:.3f}" == "0.5 0.500"
    with pytest.raises(TypeError, match="item"):
        format(put(np.ones(2), device), ".2f")


def test_an_array_of_what_requires_a_gradient_is_asked_for():
    x = gpukit.ones(2, requires_grad=True)
    for take in (np.asarray, np.array, gpukit.Tensor.numpy):
        with pytest.raises(gpukit.AutogradError, match=r"detach\(\)") as caught:
            take(x)
        assert caught.value.fix == "x.detach().numpy()"
    with pytest.raises(BufferError, match="detach"):
        memoryview(x)
    assert x.numpy(force=True).tolist() == x.detach().numpy().tolist() == [1.0, 1.0]


def test_integers_have_numpys_own_dtype():
    assert repr(gpukit.arange(3).numpy()) == "array([0, 1, 2])"


def test_the_type_has_torchs_name():
    assert gpukit.ones(1).type() == "torch.FloatTensor"

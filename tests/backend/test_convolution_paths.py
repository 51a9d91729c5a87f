"""Convolutions of float32 and half types beside those of float64, which are composed of products.

Sizes are drawn so that every way of the CPU occurs: windows that are packed and windows read where
they lie, lines longer and shorter than a vector, several tiles, strides that take planes apart,
groups, more images than are worked on at a time.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional as F

EPS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


class Drawn:
    """The arguments of one convolution of `count` dimensions."""

    def __init__(self, number: int, most_channels: int) -> None:
        rng = random.Random(number)
        self.count = rng.choice([1, 2, 2, 2, 3])
        self.groups = rng.choice([1, 1, 1, 2, 5])
        most = max(1, most_channels // self.groups)
        self.inputs = self.groups * rng.randint(1, most)
        self.outputs = self.groups * rng.randint(1, most)
        self.kernel = [rng.randint(1, 4) for _ in range(self.count)]
        self.options = {
            "stride": tuple(rng.choice([1, 1, 2, 3]) for _ in range(self.count)),
            "padding": tuple(rng.randint(0, 4) for _ in range(self.count)),
            "dilation": tuple(rng.choice([1, 1, 2]) for _ in range(self.count)),
            "groups": self.groups,
        }
        longest = {1: 90, 2: 40, 3: 9}[self.count]
        self.sizes = [
            rng.randint(dilation * (taps - 1) + 1, longest)
            for taps, dilation in zip(self.kernel, self.options["dilation"], strict=True)
        ]
        self.batch = rng.randint(1, 3)
        self.rng = np.random.default_rng(number)

    def arrays(self):
        input = (self.batch, self.inputs, *self.sizes)
        weight = (self.outputs, self.inputs // self.groups, *self.kernel)
        return [self.rng.standard_normal(shape) for shape in (input, weight, (self.outputs,))]


def results(call, arrays, dtype, device):
    """The value of a call and its gradients, as float64."""
    tensors = [gpukit.tensor(a, dtype=dtype, device=device).requires_grad_() for a in arrays]
    out = call(*tensors)
    gradients = gpukit.autograd.grad(out, tensors, gpukit.ones_like(out))
    return [t.detach().cpu().double().numpy() for t in (out, *gradients)]


def assert_close(call, arrays, dtype, device):
    """What rounding explains: the same sums of absolute values, times the depth."""
    arrays = [
        gpukit.tensor(a).to(dtype).double().numpy() for a in arrays
    ]  # the numbers that the dtype has
    wanted = results(call, arrays, "float64", "cpu")
    sizes = results(call, [np.abs(a) for a in arrays], "float64", "cpu")
    got = results(call, arrays, dtype, device)
    names = ("value", "input", "weight", "bias")
    for name, one, other, size in zip(names, got, wanted, sizes, strict=True):
        bound = (4 if dtype != "float32" else 40) * EPS[dtype] * size + 1e-30
        assert one.shape == other.shape
        assert np.all(np.abs(one - other) <= bound), (name, np.max(np.abs(one - other) / bound))


@pytest.mark.parametrize("number", range(60))
def test_float32_beside_float64(number):
    drawn = Drawn(number, 45)
    conv = getattr(F, f"conv{drawn.count}d")
    assert_close(lambda *t: conv(*t, **drawn.options), drawn.arrays(), "float32", "cpu")


@pytest.mark.parametrize("number", range(100, 108))
def test_float32_on_every_device(number, device):
    drawn = Drawn(number, 6)
    conv = getattr(F, f"conv{drawn.count}d")
    assert_close(lambda *t: conv(*t, **drawn.options), drawn.arrays(), "float32", device)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("number", range(200, 206))
def test_half_types_round_once(number, dtype, device):
    drawn = Drawn(number, 6)
    conv = getattr(F, f"conv{drawn.count}d")
    assert_close(lambda *t: conv(*t, **drawn.options), drawn.arrays(), dtype, device)


@pytest.mark.parametrize("number", range(300, 320))
def test_transposed_float32_beside_float64(number):
    drawn = Drawn(number, 30)
    shape = (drawn.inputs, drawn.outputs // drawn.groups, *drawn.kernel)
    options = drawn.options | {"padding": 0}
    input, weight, bias = drawn.arrays()
    weight = drawn.rng.standard_normal(shape)
    conv = getattr(F, f"conv_transpose{drawn.count}d")
    assert_close(lambda *t: conv(*t, **options), [input, weight, bias], "float32", "cpu")


@pytest.mark.parametrize("channels", [3, 40])
def test_more_images_than_are_worked_on_at_a_time(channels):
    """8 MiB of padded planes: eight images of three channels, one of forty."""
    size = {3: 290, 40: 240}[channels]
    rng = np.random.default_rng(channels)
    arrays = [
        rng.standard_normal((11 if channels == 3 else 2, channels, size, size)),
        rng.standard_normal((20, channels, 2, 1)),
        rng.standard_normal(20),
    ]
    assert_close(lambda *t: F.conv2d(*t, stride=2), arrays, "float32", "cpu")


def test_the_bits_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s) for s in ((6, 20, 31, 30), (40, 20, 3, 3), (40,))]
    before = gpukit.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 5):
            gpukit.set_num_threads(threads)
            found.append(
                results(lambda *t: F.conv2d(*t, padding=1), arrays, "float32", gpukit.cpu())
            )
    finally:
        gpukit.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("empty", ["batch", "inputs", "outputs"])
def test_without_elements_to_add_up(empty, device):
    n, c, o = (0 if name == empty else 2 for name in ("batch", "inputs", "outputs"))
    x = gpukit.ones(n, c, 5, device=device).requires_grad_()
    w = gpukit.ones(o, c, 3, device=device).requires_grad_()
    out = F.conv1d(x, w, gpukit.ones(o, device=device))
    assert out.shape == (n, o, 3)
    assert out.sum().item() == (12.0 if empty == "inputs" else 0.0)
    out.sum().backward()
    assert x.grad.abs().sum().item() == w.grad.abs().sum().item() == 0.0


def test_infinities_and_nan_stay_where_they_are():
    """Packed tiles read neighbours that belong to no window; none reaches a result."""
    x = gpukit.zeros(1, 30, 9, 9)
    x[0, 3, 4, 4] = float("inf")
    x[0, 5, 0, 8] = float("nan")
    out = F.conv2d(x, gpukit.ones(30, 30, 2, 2))
    wanted = np.zeros((30, 8, 8), bool)
    wanted[:, 3:5, 3:5] = wanted[:, 0, 7] = True
    np.testing.assert_array_equal(~np.isfinite(out[0].numpy()), wanted)

"""`out` is of one result: the call's own. No step of the call and no other call writes to it."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit


class Computing:
    """An index whose conversion calls gpukit, inside a call that has `out`."""

    def __init__(self, value, compute):
        self.value = value
        self.compute = compute
        self.kept = []

    def __index__(self):
        self.kept.append(self.compute())
        return self.value


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "amax", "argmin", "all", "cumsum"])
def test_what_an_argument_computes_is_apart(name, device):
    x = gpukit.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    function = getattr(gpukit, name)
    expected = function(x, 0)
    out = gpukit.zeros_like(expected)
    ones = gpukit.ones_like(expected)
    index = Computing(0, lambda: gpukit.logical_or(ones, ones) if name == "all" else ones + ones)
    assert function(x, index, out=out) is out
    assert out.tolist() == expected.tolist()
    assert len(index.kept) >= 1
    for kept in index.kept:
        assert kept.data_ptr() != out.data_ptr()
        assert kept.tolist() == (ones + ones).tolist() if name != "all" else kept.all().item()


@pytest.mark.parametrize("mode", ["floor", "trunc"])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_a_rounded_quotient_in_its_own_operands(mode, dtype, device):
    a = np.array([7, -7, 9, -9])
    b = np.array([2, 2, -4, -4])
    expected = np.floor(a / b) if mode == "floor" else np.trunc(a / b)
    for which in (0, 1):
        x = gpukit.tensor(a, dtype=dtype, device=device)
        y = gpukit.tensor(b, dtype=dtype, device=device)
        out = (x, y)[which]
        assert gpukit.div(x, y, rounding_mode=mode, out=out) is out
        assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32"])
def test_scaled_sums_in_their_own_operands(dtype, device):
    for which in (0, 1):
        x = gpukit.tensor([1, 2, 3], dtype=dtype, device=device)
        y = gpukit.tensor([4, 5, 6], dtype=dtype, device=device)
        out = (x, y)[which]
        assert gpukit.add(x, y, alpha=2, out=out) is out
        assert out.tolist() == [9, 12, 15]
        assert (y, x)[which].tolist() == ([4, 5, 6], [1, 2, 3])[which]


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_addmm_into_each_of_its_operands(dtype, device):
    a = np.array([[1, 2], [3, 4]])
    for which in range(3):
        operands = [gpukit.tensor(a + i, dtype=dtype, device=device) for i in range(3)]
        expected = a * 2 + 3 * ((a + 1) @ (a + 2))
        result = gpukit.addmm(*operands, beta=2, alpha=3, out=operands[which])
        assert result is operands[which]
        assert result.tolist() == expected.tolist()


def test_overlapping_and_strided_outs(device):
    x = gpukit.arange(6, dtype=gpukit.float32, device=device)
    assert gpukit.add(x[:-1], x[1:], out=x[1:]).tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    wide = gpukit.zeros(2, 4, device=device)
    m = gpukit.ones(2, 2, device=device)
    assert gpukit.matmul(m, m, out=wide[:, ::2]).tolist() == [[2.0, 2.0]] * 2
    assert wide.tolist() == [[2.0, 0.0, 2.0, 0.0]] * 2
    assert gpukit.exp(gpukit.zeros(2, 2, device=device), out=wide[:, 1::2]).tolist() == [[1, 1]] * 2
    assert wide.tolist() == [[2.0, 1.0, 2.0, 1.0]] * 2

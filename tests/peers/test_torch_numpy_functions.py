"""NumPy's functions of CPU tensors: what kind of object, dtype and values they give."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

# x is (3,), m (2, 3), i int64, z complex, q regular, g requires a gradient, a an array as x.
ROWS = """
np.sin(x)
np.exp(x)
np.sqrt(x)
np.abs(m)
np.negative(x)
np.floor(x)
np.round(x)
np.add(a, x)
np.add(x, a)
np.add(x, 1)
np.add(x, x)
np.multiply(x, 2.5)
np.maximum(x, a)
np.power(x, 2)
np.add(x, i)
np.divmod(x, 2)[0]
np.modf(x)[1]
np.frexp(x)[1]
np.sin(z)
np.sin(i)
np.sin(x0)
np.add(x0, x0)
np.sin(half)
np.sin(m.t())
np.sin(m[:, 1])
np.sin(parameter)
np.add.reduce(x)
np.add.accumulate(x)
np.multiply.outer(x, x)
np.add(x, 1, out=a)
np.bitwise_and(i, 3)
np.argmax(x)
np.argmin(m, axis=1)
np.argsort(x)
np.sort(x)
np.cumsum(m, axis=0)
np.clip(x, 0, 2)
np.transpose(m)
np.swapaxes(m, 0, 1)
np.reshape(m, (3, 2))
np.ravel(m)
np.squeeze(m)
np.expand_dims(x, 0)
np.concatenate([x, a])
np.stack([x, x])
np.vstack([x, a])
np.dot(x, x)
np.matmul(m, x)
np.einsum("ij,j->i", m, x)
np.outer(x, x)
np.where(x > 1, x, 0)
np.unique(x)
np.median(x)
np.percentile(x, 50)
np.linalg.norm(x)
np.linalg.inv(q)
np.linalg.det(q)
np.diff(x)
np.tile(x, 2)
np.zeros_like(x)
np.copy(x)
np.array(x)
np.asanyarray(x)
np.array([x, x])
np.diag(x)
np.roll(x, 1)
np.split(x, 3)[0]
np.allclose(x, a)
np.histogram(x, 2)[0]
np.interp(x, [0, 3], [0, 30])
np.searchsorted(x, 1.5)
np.cov(m)
np.average(x)
np.convolve(x, [1, 1])
np.gradient(x)
np.real(x)
np.kron(m, m)
np.apply_along_axis(np.sum, 0, m)
np.ptp(x)
np.fft.fft(x)
np.float32(2) * x
x * np.float32(2)
x + a
x.__array_wrap__(a)
""".strip().splitlines()
# torch's method refuses NumPy's arguments; gpukit's takes them. (row, the array's)
METHODS = """
np.sum(x)
np.sum(m, axis=0)
np.sum(m, axis=0, keepdims=True)
np.mean(x)
np.mean(m, axis=1)
np.max(x)
np.prod(x)
np.any(x)
np.all(x)
np.isclose(x, a)
np.add(a, x)
a + x
a * x
a - x
a > x
""".strip().splitlines()
REFUSED = """
np.exp(g)
np.add(g, 1)
np.add(a, g)
np.concatenate([g, a])
np.asarray(g)
""".strip().splitlines()


def scope(t: Any) -> dict[str, Any]:
    return {
        "np": np,
        "x": t.tensor([1.0, 2.0, 3.0]),
        "m": t.arange(6).reshape(2, 3).float() - 1,
        "i": t.tensor([0, 1, 2]),
        "z": t.tensor([1 + 2j]),
        "x0": t.tensor(2.0),
        "q": t.tensor([[2.0, 1.0], [1.0, 3.0]]),
        "g": t.ones(3, requires_grad=True),
        "half": t.ones(3, dtype=t.float16),
        "parameter": t.nn.Parameter(t.ones(2), requires_grad=False),
        "a": np.array([1.0, 2.0, 3.0], dtype=np.float32),
    }


def described(t: Any, row: str) -> tuple[str, str, tuple[int, ...], list[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's __array_wrap__ has one argument
        result = eval(row, scope(t))
    kind = "tensor" if isinstance(result, t.Tensor) else type(result).__name__
    array = result.numpy() if kind == "tensor" else np.asarray(result)
    return kind, str(array.dtype), array.shape, array.tolist()


@pytest.mark.parametrize("row", ROWS)
def test_as_torch(row: str) -> None:
    assert described(gpukit, row) == described(torch, row)


@pytest.mark.parametrize("row", METHODS)
def test_where_torch_raises_the_values_are_numpys(row: str) -> None:
    tensor = eval(row, scope(gpukit))
    arrays = {
        name: value.detach().numpy() if isinstance(value, gpukit.Tensor) else value
        for name, value in scope(gpukit).items()
    }
    np.testing.assert_allclose(np.asarray(tensor), eval(row, arrays))


@pytest.mark.parametrize("row", REFUSED)
def test_what_requires_a_gradient_is_refused(row: str) -> None:
    with pytest.raises(RuntimeError):
        eval(row, scope(torch))
    with pytest.raises(gpukit.AutogradError, match=r"detach\(\)"):
        eval(row, scope(gpukit))


def test_comparisons_give_masks() -> None:
    x = gpukit.tensor([1.0, 2.0, 3.0])
    mask = np.greater(x, 1.5)
    assert mask.dtype == gpukit.bool
    assert x[mask].tolist() == [2, 3]
    assert np.isnan(x).dtype == np.logical_not(x).dtype == gpukit.bool


def test_no_warning_and_shared_memory() -> None:
    x = gpukit.tensor([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = np.sin(x)
    array = np.zeros(2)
    z = x.__array_wrap__(array, None, False)
    z += 1
    assert array.tolist() == [1, 1]
    assert y.tolist() == np.sin(x.numpy()).tolist()


@pytest.mark.parametrize("value", [3, None, [1.0], "a"])
def test_what_is_no_array_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="array"):
        gpukit.ones(1).__array_wrap__(value)


def test_what_no_tensor_holds_is_refused() -> None:
    with pytest.raises(gpukit.DTypeError, match=r"longdouble|float128"):
        np.add(gpukit.ones(1), np.ones(1, dtype=np.longdouble))

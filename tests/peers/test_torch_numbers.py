"""Numbers that become elements, as in torch: ranges, what does not fit, NumPy's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit
from support.beside_torch import INTEGERS, outcome, pair, same

# ---- arange ----

BOUNDS = (
    *((1.5,), (0.5,), (5.9,), (-1.5, 1.5), (0.5, 3.6, 0.5), (0.1, 2.1, 0.7), (0, 10, 2.5)),
    *((5.5, 0.5, -1.5), (2.7, -2.7, -1), (2.7, -2.7, -1.7), (1, 0.5, -0.25), (-2.7, 2.7)),
    *((3,), (2, 9, 3), (9, 2, -3), (0, 0), (0, 5, 2.0), (1, 2.5), (0, 5, 0), (5, 2), (0, 5, -1)),
    *((250, 260), (0, 300, 100), (-3, 3), (1e10, 1e10 + 5), (0.5, 3.5)),
)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("dtype", [None, "uint8", "int8", "int16", "int32", "int64", "float64"])
def test_arange(bounds, dtype, device):
    if max(bounds) > 1e9 and dtype in ("uint8", "int8", "int16", "int32"):
        return  # C leaves open what a float beyond the range becomes
    chosen = {} if dtype is None else {"dtype": getattr(torch, dtype)}
    want = outcome(torch.arange, *bounds, **chosen)
    if want is None:
        with pytest.raises(ValueError, match="step"):
            gpukit.arange(*bounds, dtype=dtype, device=device)
    else:
        same(want, gpukit.arange(*bounds, dtype=dtype, device=device), rtol=1e-6)


# ---- numbers that do not fit ----

WRITERS: dict[str, Any] = {
    "full": lambda g, x, n: g.full((3,), n, dtype=x.dtype),
    "full_like": lambda g, x, n: g.full_like(x, n),
    "new_full": lambda g, x, n: x.new_full((3,), n),
    "fill_": lambda g, x, n: x.clone().fill_(n),
    "masked_fill": lambda g, x, n: x.masked_fill(x == 0, n),
    "masked_fill_": lambda g, x, n: x.clone().masked_fill_(x == 0, n),
    "scatter_": lambda g, x, n: x.clone().scatter_(0, g.tensor([0, 1], device=x.device), n),
    "scatter": lambda g, x, n: x.scatter(0, g.tensor([0, 1], device=x.device), n),
    "where": lambda g, x, n: g.where(x == 0, x, n),
    "where left": lambda g, x, n: g.where(x == 0, n, x),
    "slice": lambda g, x, n: assigned(x, slice(0, 2), n),
    "element": lambda g, x, n: assigned(x, 0, n),
    "mask": lambda g, x, n: assigned(x, x == 0, n),
    "places": lambda g, x, n: assigned(x, g.tensor([0, 2], device=x.device), n),
    "clamp min": lambda g, x, n: x.clamp(min=n),
    "clamp max": lambda g, x, n: x.clamp(max=n),
    "clamp_": lambda g, x, n: x.clone().clamp_(min=n),
}
NUMBERS = [0, 1, 127, 128, -128, -129, 255, 256, 300, -1, -255, -256, 2**15, 2**31, 2**40]
NUMBERS += [2**63 - 1, -(2**63), 1.5, 300.7, 127.5, 1e30, float("nan"), float("inf"), True]


def assigned(x: Any, place: Any, number: Any) -> Any:
    x = x.clone()
    x[place] = number
    return x


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32"])
def test_number_that_does_not_fit(name, dtype, device):
    for number in NUMBERS:
        check_writing(name, dtype, number, device)


def check_writing(name: str, dtype: str, number: Any, device: Any) -> None:
    x, a = pair(dtype, device, [0, 1, 0])
    write = WRITERS[name]
    want = outcome(write, torch, x, number)
    if "clamp" in name and (dtype == "uint8" and number < 0):
        return  # a bound below 0 is none here; torch wraps it around
    if want is None:
        with pytest.raises(gpukit.GpukitError) as caught:
            write(gpukit, a, number)
        if not isinstance(caught.value, gpukit.DTypeError):
            assert isinstance(caught.value, gpukit.RangeError)
            assert isinstance(caught.value, (OverflowError, ValueError))
            assert dtype in str(caught.value)
        assert a.tolist() == [0, 1, 0]
    else:
        same(want, write(gpukit, a, number), rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in WRITERS if "where" not in n])
@pytest.mark.parametrize(("dtype", "number"), [("float16", 65536), ("bfloat16", 1e39)])
def test_number_that_half_types_cannot_hold(name, dtype, number, device):
    x = gpukit.zeros(3, dtype=dtype, device=device)
    with pytest.raises(gpukit.RangeError, match=dtype):
        WRITERS[name](gpukit, x, number)


def test_number_beyond_the_default_dtype(device):
    with pytest.raises(gpukit.RangeError, match=r"fill_value 1e\+39 .* float32"):
        gpukit.full((2,), 1e39, device=device)


def test_large_ints_beside_floating_tensors(device):
    x = gpukit.ones(2, device=device)
    assert (x + 2**63).tolist() == [2.0**63] * 2
    assert gpukit.full((1,), 2**63, dtype="float32", device=device).tolist() == [2.0**63]
    for call in (lambda: x + 10**400, lambda: gpukit.ones(2, dtype="int64") + 2**63):
        with pytest.raises(OverflowError):
            call()


# ---- dtypes of NumPy's numbers ----


@pytest.mark.parametrize(
    "data",
    [
        np.float64(0.1),
        np.float32(0.1),
        np.float16(0.5),
        np.int8(1),
        np.uint8(1),
        np.int16(1),
        np.int32(1),
        np.int64(1),
        np.bool_(True),
        [np.float64(0.1)],
        [np.float64(0.1), 1.0],
        [np.float32(0.1), 2],
        [np.int8(1), np.uint8(2)],
        [np.int8(1), 2],
        [np.int32(1), True],
        [np.float16(1), 2],
        [[np.int32(1)], [np.int16(2)]],
        [1, 2.5, True],
        [True, 2],
    ],
)
def test_numbers_of_numpy_bring_their_dtype(data):
    same(torch.tensor(data), gpukit.tensor(data))
    same(torch.as_tensor(data), gpukit.as_tensor(data))

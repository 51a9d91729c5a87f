"""Operators beside torch's: alpha, pairs, numbers beside half types, dtype=, objects."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest
import torch

import gpukit
from support.beside_torch import ALL, COMPUTED, HALF, INTEGERS, outcome, pair, same, values

# ---- alpha ----


@pytest.mark.parametrize("alpha", [3, -2, 1.5, True])
@pytest.mark.parametrize("left", COMPUTED)
def test_alpha_of_every_pair_of_dtypes(left, alpha, device):
    for right, name in itertools.product(COMPUTED, ("add", "sub")):
        if name == "sub" and "bool" in (left, right):
            continue
        (x, a), (y, b) = pair(left, device), pair(right, device)
        want = outcome(getattr(torch, name), x, y, alpha=alpha)
        if want is None:
            with pytest.raises(gpukit.DTypeError, match="alpha"):
                getattr(gpukit, name)(a, b, alpha=alpha)
            continue
        half = str(want.dtype)[6:] in HALF
        same(want, getattr(gpukit, name)(a, b, alpha=alpha), rtol=2e-2 if half else 1e-6)
        want = outcome(getattr(x.clone(), name + "_"), y, alpha=alpha)
        got = outcome(getattr(a.clone(), name + "_"), b, alpha=alpha)
        assert (want is None) == (got is None)
        if want is not None:
            same(want, got, rtol=2e-2 if half or left in HALF else 1e-6)


def test_alpha_counts_in_the_dtype_of_the_result(device):
    small = gpukit.tensor([126], dtype="int8", device=device)
    zero = gpukit.tensor([0], device=device)
    assert gpukit.add(zero, small, alpha=3).tolist() == [378]
    assert gpukit.sub(zero, small, alpha=3).tolist() == [-378]
    assert zero.clone().add_(small, alpha=3).tolist() == [378]
    assert small.clone().add_(zero + 1, alpha=300).tolist() == [(126 + 300 + 128) % 256 - 128]
    assert gpukit.add(small, small, alpha=3).tolist() == [-8]
    assert gpukit.add(1, small, alpha=2).tolist() == [-3]
    assert gpukit.add(small, 300, alpha=2).tolist() == [-42]
    assert gpukit.add(small > 0, small > 0, alpha=2).dtype is gpukit.bool


def test_alpha_is_rounded_once_with_half_types(device):
    x = gpukit.tensor([-60000.0], dtype="float16", device=device)
    assert gpukit.add(x, -x, alpha=2.0).tolist() == [60000.0]
    assert x.clone().add_(-x, alpha=2.0).tolist() == [60000.0]
    assert gpukit.add(x, 60000.0, alpha=2.0).tolist() == [60000.0]
    out = gpukit.zeros(1, dtype="float16", device=device)
    assert gpukit.add(x, -x, alpha=2.0, out=out) is out
    assert out.tolist() == [60000.0]


def test_alpha_in_gradients(device):
    x = gpukit.ones(3, device=device, requires_grad=True)
    y = gpukit.ones(3, dtype="float64", device=device, requires_grad=True)
    gpukit.sub(x, y, alpha=2.5).sum().backward()
    assert x.grad.tolist() == [1.0] * 3
    assert y.grad.tolist() == [-2.5] * 3


@pytest.mark.parametrize(
    ("alpha", "dtype", "error"),
    [
        (1.5, "int64", gpukit.DTypeError),
        (2.0, "int64", gpukit.DTypeError),
        (True, "int64", gpukit.DTypeError),
        (True, "float32", gpukit.DTypeError),
        (300, "int8", gpukit.RangeError),
        (1e39, "float32", gpukit.RangeError),
    ],
)
@pytest.mark.parametrize("name", ["add", "sub", "add_", "sub_"])
@pytest.mark.parametrize("number", [False, True])
def test_alpha_that_does_not_fit(name, alpha, dtype, error, number, device):
    x = gpukit.ones(2, dtype=dtype, device=device)
    call = getattr(x, name)
    with pytest.raises(error, match=f"{name}: alpha"):
        call(1 if number else x.clone(), alpha=alpha)
    assert x.tolist() == [1, 1]


# ---- max and min ----


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("other", ["int64", "float32", "bool", "int8"])
def test_extremes_of_a_pair(name, other, device):
    x, a = pair("int32", device)
    y, b = pair(other, device, [1, 0, 1, 1, 0, 1, 1])
    ours, theirs = getattr(gpukit, name), getattr(torch, name)
    same(theirs(x, y), ours(a, b))
    same(theirs(x, other=y), ours(a, other=b))
    same(theirs(input=x, other=y[0]), ours(input=a, other=b[0]))
    same(theirs(x, y[1]), ours(a, b[1]))
    same(getattr(x, name)(y[1]), getattr(a, name)(b[1]))
    same(theirs(x[0], y), ours(a[0], b))


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_along_a_dimension(name, device):
    x, a = pair("int32", device, [[3, 1, 2], [5, 9, 4]])
    ours, theirs = getattr(gpukit, name), getattr(torch, name)
    for dim in (0, -1, np.int64(1), np.int32(0)):
        for mine, yours in zip(ours(a, dim), theirs(x, int(dim)), strict=True):
            same(yours, mine)
    same(theirs(x, dim=torch.tensor(1)).values, ours(a, dim=gpukit.tensor(1)).values)
    same(theirs(x, axis=1, keepdims=True).values, ours(a, axis=1, keepdims=True).values)
    for wrong in (True, np.bool_(True), 1.0, "0", [0]):
        with pytest.raises(TypeError, match="dim"):
            ours(a, wrong)
    for call in (
        lambda: ours(a, 0, other=a),
        lambda: ours(a, a, True),
        lambda: ours(a, a, other=a),
        lambda: ours(a, other=a, keepdim=True),
    ):
        with pytest.raises(TypeError, match="not both"):
            call()


# ---- numbers beside half types ----

ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
}
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def rounded_once(call: Any, dtype: str, *operands: Any) -> Any:
    wide = [
        x.float() if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float32)
        for x in operands
    ]
    return call(*wide).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("shape", [(5,), (3, 70), (2000,)])
def test_number_stays_float32_beside_half_types(dtype, name, shape, device):
    for number in (0.1, 65536, 70000.0, -7.3, 1e-6, 3, np.float32(0.1)):
        if name == "pow" and dtype == "float16" and number > 65504:
            continue  # an exponent must fit, in torch too
        check_number_beside(dtype, name, number, shape, device)


def check_number_beside(
    dtype: str, name: str, number: Any, shape: tuple[int, ...], device: Any
) -> None:
    call = ARITHMETIC[name]
    data = torch.linspace(0.01, 4, math.prod(shape)).reshape(shape).to(getattr(torch, dtype))
    x = gpukit.tensor(data.float().tolist(), dtype=dtype, device=device)
    # pow, and with it // and %, of another library may differ in the last place
    rtol = 0.0 if name in ("add", "sub", "mul", "div") else 1e-2
    want = rounded_once(call, dtype, data, float(number))
    same(want, call(x, number), rtol)
    same(want, getattr(gpukit, name)(x, number), rtol)
    same(want[..., ::2], call(x[..., ::2], number), rtol)  # strided
    in_place = x.clone()
    getattr(in_place, f"{name}_")(number)
    same(want, in_place, rtol)
    if not isinstance(number, np.float32):
        same(rounded_once(call, dtype, float(number), data), call(number, x), rtol)
    if x.device.type == "cpu" or rtol == 0:
        zero_d = gpukit.tensor(float(number), dtype="float32")
        same(want, call(x, zero_d), rtol)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("call", COMPARISONS)
def test_comparison_takes_the_number_as_an_element(dtype, call, device):
    x, a = pair(dtype, device, [0.1, 0.25, 65504.0, float("inf"), float("nan"), -3.0])
    for number in (0.1, 0.25, 65536, 1e30, -1e30, -3):
        assert call(a, number).tolist() == call(x, number).tolist()


@pytest.mark.parametrize("dtype", HALF)
def test_choices_take_the_number_as_an_element(dtype, device):
    x, a = pair(dtype, device, [0.25, 0.1, -3.0])
    same(torch.where(x > 0, x, 0.1), gpukit.where(a > 0, a, 0.1))
    same(torch.where(x > 0, x, 1e39), gpukit.where(a > 0, a, 1e39))
    same(x.clamp(0.15, 3), a.clamp(0.15, 3))
    same(x.clone().clamp_(min=0.1), a.clone().clamp_(min=0.1))
    same(x.masked_fill(x > 0, 0.1), a.masked_fill(a > 0, 0.1))


# ---- dtype= of reductions ----


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("source", ALL)
def test_reductions_into_every_dtype(source, target, device):
    rows = [values(source), values(source)[::-1], [1, 0, 0, 0, 0, 0, 0]]
    if source in ("int8", "int64", "float32"):
        rows.append([1, -1, 0, 0, 0, 0, 0])  # would cancel to False
    x, a = pair(source, device, rows)
    for name in ("sum", "prod", "mean", "cumsum", "cumprod"):
        if "uint" in target and source.startswith(("float", "bfloat")):
            continue  # of negative numbers C leaves it open
        want = outcome(getattr(torch, name), x, 1, dtype=getattr(torch, target))
        if want is None or not want.isfinite().all():
            continue  # torch's steps overflow where float32 does not
        same(want, getattr(gpukit, name)(a, 1, dtype=target), 2e-2 if target in HALF else 1e-6)


def test_truth_is_taken_before_it_is_added_up(device):
    assert gpukit.tensor([0.3, 0.4], device=device).sum(dtype=bool).item() is True
    assert gpukit.tensor([0.5, 0.25, 2], device=device).prod(dtype=bool).item() is True
    assert gpukit.tensor([1, -1], device=device).sum(dtype=bool).item() is True


# ---- the sign of zero ----


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (2,), (40,), (3000,), (4, 3), (20, 33)])
def test_extremes_keep_the_sign_of_zero(dtype, shape, device):
    zeros = -gpukit.zeros(shape, dtype=dtype, device=device)
    for name in ("amax", "amin"):
        reduce = getattr(gpukit, name)
        assert reduce(zeros).signbit().item()
        for dim in range(len(shape)):
            assert reduce(zeros, dim).signbit().all().item()
    for pick in (gpukit.maximum, gpukit.minimum):
        assert pick(zeros, zeros).signbit().all().item()
    assert zeros.clamp(-1, 1).signbit().all().item()
    assert zeros.max(0).values.signbit().all().item()
    assert gpukit.prod(zeros[:1].reshape(-1)[:1]).signbit().item()
    bad = zeros.clone()
    bad.reshape(-1)[0] = float("nan")
    assert bad.amax().isnan().item() and bad.amin().isnan().item()


# ---- one object ----

AUGMENTED = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}


@pytest.mark.parametrize("sign", AUGMENTED)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("whole", [False, True])
def test_augmented_operator_keeps_the_tensor(sign, dtype, whole, device):
    x, a = pair(dtype, device, [1, 5, 12])
    y, b = pair(dtype, device, [2, 1, 3]) if whole else (2, 2)
    before, view = a, a[1:]
    a = AUGMENTED[sign](a, b)
    assert a is before
    same(AUGMENTED[sign](x, y), a)
    assert view.tolist() == a.tolist()[1:]


def test_augmented_matmul_makes_a_tensor_as_torch_does(device):
    a = before = gpukit.ones(2, 2, device=device)
    a @= gpukit.ones(2, 2, device=device)
    assert a is not before
    assert before.tolist() == [[1, 1], [1, 1]]

"""Which dtype a result has: the array API's table and the rules for numbers and 0-d tensors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, FLOATING, INTEGERS, SIGNED, sample


def expected(left, right):
    """torch's answer: floating beats integer whatever the sizes; else NumPy's."""
    if (left in FLOATING) != (right in FLOATING):
        return left if left in FLOATING else right
    return str(np.promote_types(left, right))


def test_table():
    for left, right in itertools.product(ALL, ALL):
        if "uint64" in (left, right) and {left, right} & set(SIGNED):
            continue
        got = gpukit.promote_types(getattr(gpukit, left), getattr(gpukit, right))
        assert got == getattr(gpukit, expected(left, right)), f"{left}, {right}"
        result = gpukit.tensor(sample(left)) * gpukit.tensor(sample(right))
        assert result.dtype == got, f"{left} * {right}"


def test_bfloat16():
    for dtype in ("bool", *INTEGERS):
        assert gpukit.promote_types("bfloat16", dtype) == gpukit.bfloat16
    assert gpukit.promote_types("bfloat16", "float16") == gpukit.float32
    assert gpukit.promote_types("bfloat16", "float32") == gpukit.float32


@pytest.mark.parametrize(
    ("dimensioned", "zero_d", "result"),
    [
        ("float32", "float64", "float32"),
        ("float16", "int64", "float16"),
        ("int8", "int64", "int8"),
        ("uint8", "int8", "uint8"),
        ("int32", "float64", "float64"),
        ("bool", "uint8", "uint8"),
        ("bool", "float16", "float16"),
    ],
)
def test_zero_d_tensors_are_weak_within_their_kind(dimensioned, zero_d, result):
    x, y = gpukit.ones(3, dtype=dimensioned), gpukit.ones((), dtype=zero_d)
    for got in (x * y, y * x, gpukit.result_type(x, y), gpukit.result_type(y, x)):
        assert getattr(got, "dtype", got) == getattr(gpukit, result)
    assert (y * y).dtype == getattr(gpukit, zero_d)
    assert (y * gpukit.ones((), dtype=dimensioned)).dtype == gpukit.promote_types(
        zero_d, dimensioned
    )


def test_default_dtype_decides_where_no_operand_is_floating():
    whole = gpukit.tensor([1, 2])
    assert (whole / 2).dtype == gpukit.get_default_dtype() == gpukit.float32
    gpukit.set_default_dtype("float64")
    try:
        assert (whole / 2).dtype == gpukit.float64
        assert (whole + 0.5).dtype == gpukit.float64
        assert gpukit.sqrt(whole).dtype == gpukit.float64
    finally:
        gpukit.set_default_dtype("float32")
    with pytest.raises(gpukit.DTypeError, match="int64 is not a floating type"):
        gpukit.set_default_dtype("int64")


def test_pythons_types_are_dtypes():
    assert gpukit.ones(1, dtype=float).dtype is gpukit.float64
    assert gpukit.tensor([1.5]).to(int).dtype is gpukit.int64
    assert gpukit.zeros(1, dtype=bool).dtype is gpukit.bool

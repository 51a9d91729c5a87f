"""Every elementwise operator, by the rows of elementwise.def: a new row is tested here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpukit
from support.arrays import FLOATING, LAYOUTS, assert_same, fetch, put, quiet, special
from support.operators import OPERATORS, Operator, names, operands, reference

# Units in the last place that a result may be off from NumPy's in float64. gelu is a multiple of
# 1 + erf(x), of which little is left where x is negative; log_ndtr takes erfc of a number that was
# rounded; lgamma of -2.5 is a small difference of two terms, of which NVRTC's logarithm rounds one
# otherwise.
ULPS = {"gelu": 128, "log_ndtr": 12, "lgamma": 12}
FEW_ULPS = 4
SPECIAL_ULPS = 8


def assert_near_reference(got: Any, operator: Operator, arrays: list[Any], context: str) -> None:
    floating = str(arrays[0].dtype) in FLOATING
    wide = [array.astype(np.float64) for array in arrays] if floating else arrays
    want = quiet(reference(operator.name), *wide)
    array = fetch(got)
    if operator.tests or not floating:
        dtype = np.bool_ if operator.tests else arrays[0].dtype
        assert array.dtype == dtype, context
        np.testing.assert_array_equal(array, want.astype(dtype), err_msg=context)
        return
    assert array.dtype == arrays[0].dtype, context
    unit = np.spacing(np.abs(want).astype(array.dtype)).astype(np.float64)
    off = np.abs(array.astype(np.float64) - want) / unit
    assert np.all(off <= ULPS.get(operator.name, FEW_ULPS)), f"{context}: {off.max():.1f} ulp"


@pytest.mark.parametrize("name", [name for name in OPERATORS if name != "nextafter"])
def test_values_of_every_dtype(name, device):
    operator = OPERATORS[name]
    for dtype in operator.dtypes:
        arrays = operands(operator, dtype)
        got = getattr(gpukit, name)(*(put(array, device) for array in arrays))
        assert_near_reference(got, operator, arrays, f"{name} {dtype}")


UNARY = [name for name, row in OPERATORS.items() if row.operands == 1 and "float32" in row.dtypes]


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATING)
def test_special_values(name, dtype, device):
    """Signed zeros, infinities, NaN, the largest, the smallest and subnormal numbers."""
    operator = OPERATORS[name]
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.concatenate([special(dtype), np.array([tiny, -tiny, 3 * tiny], dtype)])
    got = fetch(getattr(gpukit, name)(put(x, device)))
    want = quiet(reference(name), x.astype(np.float64))
    if operator.tests:
        np.testing.assert_array_equal(got, want)
        return
    want, nan = quiet(want.astype, dtype), np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), nan, err_msg=f"{name} of {x}")
    np.testing.assert_array_max_ulp(got[~nan], want[~nan], ULPS.get(name, SPECIAL_ULPS), dtype)
    zero = got == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]), f"{name} of {x}")


@pytest.mark.parametrize("name", OPERATORS)
def test_views_have_the_values_of_copies(name, device):
    operator = OPERATORS[name]
    function = getattr(gpukit, name)
    for dtype in operator.dtypes[:1] + operator.dtypes[-1:]:
        arrays = operands(operator, dtype)
        for layout, view in LAYOUTS.items():
            viewed = function(*(view(put(array, device)) for array in arrays))
            copied = function(*(put(view(array), device) for array in arrays))
            assert_same(viewed, fetch(copied), f"{name} {dtype} {layout}", tolerance=0)


@pytest.mark.parametrize("name", OPERATORS)
def test_dtypes_that_are_converted_or_refused(name, device):
    operator = OPERATORS[name]
    function = getattr(gpukit, name)
    for dtype in operator.refused:
        tensors = [put(array, device) for array in operands(operator, dtype)]
        with pytest.raises(gpukit.DTypeError, match=name):
            function(*tensors)
    integers = [put(array, device) for array in operands(operator, "int32")]
    if operator.domain == "function":
        assert function(*integers).dtype == gpukit.get_default_dtype()
    if operator.domain == "rounding":
        assert_same(function(*integers), fetch(integers[0]), name, tolerance=0)
    truths = [put(array, device) for array in operands(operator, "bool")]
    if operator.domain in {"rounding", "magnitude"}:
        assert_same(function(*truths), fetch(truths[0]), name)
    if operator.domain == "bool as integer":
        assert function(*truths).dtype == gpukit.int64


@pytest.mark.parametrize(
    ("name", "operator"), [(name, operator) for name, operator in names() if operator.out]
)
def test_out_takes_the_result(name, operator, device):
    tensors = [put(array, device) for array in operands(operator, operator.dtypes[-1])]
    want = getattr(gpukit, name)(*tensors)
    out = gpukit.empty_like(want)
    assert getattr(gpukit, name)(*tensors, out=out) is out
    assert_same(out, fetch(want), name, tolerance=0)


@pytest.mark.parametrize(("name", "operator"), list(names(in_place=True)))
def test_in_place_has_the_values_of_the_function(name, operator, device):
    for dtype in operator.dtypes[:1] + operator.dtypes[-1:]:
        arrays = operands(operator, dtype)
        target, *others = (put(array, device) for array in arrays)
        want = getattr(gpukit, operator.name)(put(arrays[0], device), *others)
        assert getattr(target, name)(*others) is target
        stored = fetch(want).astype(arrays[0].dtype)  # truths as 1 and 0
        assert_same(target, stored, f"{name} {dtype}", tolerance=0)


@pytest.mark.parametrize(("name", "operator"), list(names()))
def test_every_name_is_a_function_and_a_method(name, operator, device):
    tensors = [put(array, device) for array in operands(operator, operator.dtypes[-1])]
    want = fetch(getattr(gpukit, operator.name)(*tensors))
    assert_same(getattr(gpukit, name)(*tensors), want, name, tolerance=0)
    assert_same(getattr(tensors[0], name)(*tensors[1:]), want, name, tolerance=0)


FLOATING_RESULTS = [
    row.name for row in OPERATORS.values() if not row.tests and "float32" in row.dtypes
]


@pytest.mark.parametrize("name", FLOATING_RESULTS)
def test_a_floating_operator_is_recorded(name, device):
    """test_autograd_formulas checks derivatives; here, that none is left out in silence."""
    operator = OPERATORS[name]
    tensors = [put(array, device) for array in operands(operator, "float32")]
    result = getattr(gpukit, name)(tensors[0].requires_grad_(), *tensors[1:])
    assert result.grad_fn is not None
    if operator.differentiable:
        result.sum().backward()
        assert tensors[0].grad.shape == result.shape
    else:
        with pytest.raises(gpukit.AutogradError, match="has no derivative"):
            result.sum().backward()

"""Functions of two operands: values, broadcasting, numbers, layouts."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import gpukit
from support.arrays import (
    ALL,
    FLOATING,
    INTEGERS,
    NUMBERS,
    assert_near,
    assert_same,
    fetch,
    layouts,
    nonzero_sample,
    put,
    quiet,
    sample,
    special,
)

ARITHMETIC = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
LOGIC = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def expected(name, x, y):
    """NumPy's answer in the dtype that gpukit gives."""
    want = quiet(ARITHMETIC[name], x, y)
    return want.astype(np.float32) if name == "div" and x.dtype.kind in "iu" else want


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name, device):
    for dtype in NUMBERS:
        x, y = sample(dtype, (4, 7)), nonzero_sample(dtype, (4, 7))
        got = getattr(gpukit, name)(put(x, device), put(y, device))
        assert_same(got, expected(name, x, y), f"{name} {dtype}")


@pytest.mark.parametrize("name", [*COMPARISONS, *LOGIC])
def test_comparisons_and_logic_give_bool(name, device):
    reference = {**COMPARISONS, **LOGIC}[name]
    for dtype in ALL:
        x, y = sample(dtype, (4, 7)), sample(dtype, (4, 7), seed=3)
        y[0] = x[0]
        got = getattr(gpukit, name)(put(x, device), put(y, device))
        assert_same(got, reference(x, y), f"{name} {dtype}")


def test_pow(device):
    for dtype in FLOATING:
        x, y = np.abs(sample(dtype)) + 0.5, sample(dtype, seed=1) / 4
        assert_same(put(x, device) ** put(y.astype(dtype), device), x ** y.astype(dtype), dtype)
    for dtype in INTEGERS:
        x, y = sample(dtype) % 5, np.abs(sample(dtype, seed=1)) % 3
        assert_same(put(x, device) ** put(y, device), x**y, dtype)


@pytest.mark.parametrize("exponent", [2, 3, 0, 1, 0.5, -1, 2.0, -0.5])
def test_pow_of_a_number(exponent, device):
    x = np.abs(sample("float32")) + 0.5
    assert_same(put(x, device) ** exponent, (x**exponent).astype(np.float32))
    base = abs(exponent)
    assert_same(base ** put(x, device), np.float32(base) ** x)


def test_integer_powers(device):
    x = put(np.array([-3, 2, 5]), device)
    assert fetch(x**3).tolist() == [-27, 8, 125]
    assert fetch(x**2).tolist() == [9, 4, 25]
    assert (x**0.5).dtype == gpukit.float32
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        x**-1
    np.testing.assert_allclose(fetch(x**-1.0), [-1 / 3, 1 / 2, 1 / 5], rtol=1e-6)


@pytest.mark.parametrize("name", ["add", "mul", "div", "maximum", "minimum", "lt", "eq", "ne"])
def test_special_values(name, device):
    for dtype in ("float32", "float64"):
        x, y = np.meshgrid(special(dtype), special(dtype))
        want = quiet({**ARITHMETIC, **COMPARISONS}[name], x, y)
        got = fetch(getattr(gpukit, name)(put(x, device), put(y, device)))
        assert_near(got, want, 0, f"{name} {dtype}")


SIGNS = [(7, 3), (-7, 3), (7, -3), (-7, -3), (6, 3), (-6, 3), (0, 5), (1, 7), (-1, 7)]


def test_floor_division_and_remainder_follow_python(device):
    for dtype in ("int8", "int32", "int64", *FLOATING):
        x, y = np.array(SIGNS, dtype=dtype).T
        a, b = put(x, device), put(y, device)
        assert fetch(a // b).tolist() == [left // right for left, right in SIGNS], dtype
        assert fetch(a % b).tolist() == [left % right for left, right in SIGNS], dtype


def test_division_by_zero_is_an_answer(device):
    x = put(np.array([1, -1, 0]), device)
    zero = put(np.array([0, 0, 0]), device)
    assert fetch(x // zero).tolist() == [0, 0, 0]
    assert fetch(x % zero).tolist() == [0, 0, 0]
    got = fetch(x / zero)
    assert got[0] == np.inf
    assert got[1] == -np.inf
    assert np.isnan(got[2])


def test_smallest_integer_by_minus_one(device):
    for dtype in ("int32", "int64"):
        smallest = np.array([np.iinfo(dtype).min], dtype=dtype)
        x, y = put(smallest, device), put(np.array([-1], dtype=dtype), device)
        assert_same(x // y, smallest)
        assert fetch(x % y).tolist() == [0]


def test_integers_wrap_around(device):
    x = put(np.array([250, 3], dtype=np.uint8), device)
    assert fetch(x + 10).tolist() == [4, 13]
    assert fetch(x * x).tolist() == [36, 9]


SHAPES = [
    ((3, 1), (4,)),
    ((2, 1, 3), (5, 1)),
    ((1,), (2, 3)),
    ((), (2, 3)),
    ((2, 3), ()),
    ((), ()),
    ((0, 3), (1, 3)),
    ((2, 0), (1,)),
    ((1, 1, 1), (1,)),
    ((4, 1, 2, 1), (3, 1, 5)),
    ((2, 1, 2, 1, 2, 1, 2), (1, 2, 1, 2, 1, 2, 1)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_broadcasting(left, right, device):
    x = np.asarray(sample("float32", left))
    y = np.asarray(sample("float32", right, seed=5))
    a, b = put(x, device), put(y, device)
    assert_same(a + b, x + y)
    assert_same(a < b, x < y)


def test_layouts(device):
    y = sample("float32", (4, 6), seed=2)
    other = put(y, device)
    for layout, array, tensor in layouts(sample("float32", (4, 6)), device):
        assert_same(tensor - tensor, array - array, layout)
        assert_same(tensor * 2, array * np.float32(2), layout)
        if array.shape == (6, 4):
            assert_same(tensor + other.T, array + y.T, layout)
    x = put(y, device)
    assert_same(x[:, :4] + x[:, :4].T, y[:, :4] + y[:, :4].T)


@pytest.mark.parametrize("function", OPERATORS)
def test_operators_with_numbers_on_both_sides(function, device):
    x = nonzero_sample("float32")
    tensor = put(x, device)
    for number in (2, -3.5):
        assert_same(function(tensor, number), function(x, np.float32(number)), f"X, {number}")
        assert_same(function(number, tensor), function(np.float32(number), x), f"{number}, X")


def test_numbers_do_not_change_the_dtype(device):
    for dtype in NUMBERS:
        x = put(sample(dtype), device)
        assert (x + 1).dtype == x.dtype
        assert (1 - x).dtype == x.dtype
        assert (x * True).dtype == x.dtype
        assert (x + 1.5).dtype == (x.dtype if dtype in FLOATING else gpukit.float32)
    flags = put(sample("bool"), device)
    assert (flags + 1).dtype == gpukit.int64
    assert (flags + 1.0).dtype == gpukit.float32


def test_comparing_with_a_number_beyond_the_dtype(device):
    x = put(np.array([0, 200, 255], dtype=np.uint8), device)
    assert fetch(x < 300).all()
    assert not fetch(x == 256).any()
    assert fetch(x > -1).all()
    assert fetch(x > put(np.int32(-1), device)).all()
    assert not fetch(put(np.int64(456), device) == x).any()


def test_bool_arithmetic(device):
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    a, b = put(x, device), put(y, device)
    assert_same(a + b, x | y)
    assert_same(a * b, x & y)
    for name, function in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
        assert_same(function(a, b), function(x, y), name)
    with pytest.raises(gpukit.DTypeError, match=r"cannot be subtracted. Use X \^ Y"):
        a - b


def test_bitwise_operators(device):
    for dtype in INTEGERS:
        x, y = sample(dtype), sample(dtype, seed=4)
        a, b = put(x, device), put(y, device)
        for function in (operator.and_, operator.or_, operator.xor):
            assert_same(function(a, b), function(x, y), f"{function.__name__} {dtype}")
    with pytest.raises(gpukit.DTypeError, match="not an integer or bool type"):
        put(sample("float32"), device) & 1


def test_more_functions_of_two(device):
    x, y = sample("float64"), nonzero_sample("float64")
    a, b = put(x, device), put(y, device)
    for name, reference in (
        ("atan2", np.arctan2),
        ("hypot", np.hypot),
        ("copysign", np.copysign),
        ("logaddexp", np.logaddexp),
        ("nextafter", np.nextafter),
    ):
        assert_same(getattr(gpukit, name)(a, b), reference(x, y), name)


def test_hypot_neither_overflows_nor_loses_digits(device):
    exponents = np.arange(-1070, 1020, 7)
    x = np.ldexp(np.random.default_rng(5).uniform(1, 2, exponents.size), exponents)
    for y in (x * 1.5, x[::-1].copy(), np.full_like(x, np.inf), np.full_like(x, np.nan)):
        got = fetch(gpukit.hypot(put(x, device), put(y, device)))
        np.testing.assert_array_max_ulp(got, np.hypot(x, y), maxulp=1)
    for dtype in (np.float64, np.float32):
        info = np.finfo(dtype)
        large = [info.max, info.max / 2, info.max / 1.5, info.max * 1e-17, 1e19, -info.max]
        small = [info.tiny, info.tiny / 4, info.smallest_subnormal, 1e-20, info.eps]
        ends = [*large, *small, 1.5, 1.0, 0.0]
        x, y = (grid.ravel().astype(dtype) for grid in np.meshgrid(ends, ends))
        with np.errstate(over="ignore"):
            want = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble)).astype(dtype)
        got = fetch(gpukit.hypot(put(x, device), put(y, device)))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
        finite = np.isfinite(want)
        np.testing.assert_array_max_ulp(got[finite], want[finite], maxulp=1)
    infinite, missing = put(np.array([np.inf]), device), put(np.array([np.nan]), device)
    assert fetch(gpukit.hypot(missing, infinite))[0] == np.inf


def test_zero_d_tensors_of_the_cpu_mix_with_any_device(device):
    x = sample("float32")
    scale = gpukit.tensor(2.0)
    tensor = put(x, device)
    for got in (tensor * scale, scale * tensor):
        assert got.device == tensor.device
        assert_same(got, x * np.float32(2))


def test_operands_of_two_devices_are_refused(device):
    if device.type == "cpu":
        other = put(np.zeros(2, np.float32), device)
        assert_same(other + other, np.zeros(2, np.float32))
        return
    x = put(np.zeros((2, 3), np.float32), device)
    y = gpukit.zeros(2, 3)
    with pytest.raises(gpukit.DeviceMismatchError) as caught:
        x + y
    assert str(caught.value).splitlines()[0] == (
        f"add: X is on {device}, Y is on cpu. Move one first, e.g. Y.to('{device}') (copies 24 B). "
        "gpukit never moves data silently."
    )


def test_shapes_that_do_not_fit(device):
    with pytest.raises(gpukit.ShapeError) as caught:
        put(np.zeros((2, 3)), device) + put(np.zeros((2, 4)), device)
    for word in ("add", "(2, 3)", "(2, 4)"):
        assert word in str(caught.value)


@pytest.mark.parametrize("mode", ["floor", "trunc"])
@pytest.mark.parametrize("name", ["div", "divide"])
def test_errors_of_rounded_quotients_name_the_call(mode, name, device):
    x = gpukit.ones(3, dtype="int32", device=device)
    call = rf"^{name}\(rounding_mode='{mode}'\): "
    for left, right, error, words in (
        (x > 0, x > 0, gpukit.DTypeError, "not defined for bool"),
        (x > 0, True, gpukit.DTypeError, "not defined for bool"),
        (x, x[:2], gpukit.ShapeError, r"\(3,\).*\(2,\)"),
        (x.float(), x[:2], gpukit.ShapeError, r"\(3,\).*\(2,\)"),
    ):
        with pytest.raises(error, match=call + f".*{words}"):
            getattr(gpukit, name)(left, right, rounding_mode=mode)
    with pytest.raises(gpukit.DTypeError, match=r"^floor_divide: "):
        (x > 0) // (x > 0)
    with pytest.raises(ValueError, match=f"^{name}: rounding_mode must be"):
        getattr(gpukit, name)(x, x, rounding_mode="up")


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_truncated_quotients_of_integers_stay_integers(dtype, device):
    values = np.array([7, 6, 1, 0, 100, 99], np.int64)
    divisors = np.array([2, 3, 5, 4, 7, 100], np.int64)
    if not dtype.startswith("u"):
        values = np.concatenate([values, -values, values])
        divisors = np.concatenate([divisors, divisors, -divisors])
    x, y = put(values.astype(dtype), device), put(divisors.astype(dtype), device)
    want = (np.sign(values) * np.sign(divisors) * (abs(values) // abs(divisors))).astype(dtype)
    assert_same(gpukit.div(x, y, rounding_mode="trunc"), want)
    out = gpukit.zeros(len(want), dtype=dtype, device=device)
    assert gpukit.div(x, y, rounding_mode="trunc", out=out) is out
    assert_same(out, want)
    assert_same(gpukit.div(x, 3, rounding_mode="trunc"), np.trunc(values / 3).astype(dtype))
    exact = put(np.array([2**62 + 1], np.int64), device)
    assert gpukit.div(exact, 1, rounding_mode="trunc").item() == 2**62 + 1


WHOLE_RANGES = {"uint8": 255, "int8": 127, "int16": 2**15 - 1, "uint16": 2**16 - 1}
RANGES = {**WHOLE_RANGES, "int32": 2**31 - 1, "uint32": 2**32 - 1, "float16": 65504}


@pytest.mark.parametrize("dtype", RANGES)
def test_exponents_that_do_not_fit(device, dtype):
    last = RANGES[dtype]
    x = gpukit.ones(3, dtype=dtype, device=device)
    assert (x**last).tolist() == [1, 1, 1]
    for exponent in (last + 1, 2**40, np.int64(2**40)):
        for call in (
            lambda: x**exponent,  # noqa: B023
            lambda: x.pow(exponent),  # noqa: B023
            lambda: gpukit.pow(x, exponent),  # noqa: B023
            lambda: x.clone().pow_(exponent),  # noqa: B023
        ):
            with pytest.raises(gpukit.RangeError, match=f"exponent .* does not fit into {dtype}"):
                call()
    wide = gpukit.ones(2, dtype="float32", device=device)
    assert (wide**1e300).tolist() == [1, 1]
    with pytest.raises(gpukit.RangeError):
        wide.bfloat16() ** 1e300


@pytest.mark.parametrize("mode", ["floor", "trunc"])
def test_rounded_quotients_are_flat(device, mode):
    x = gpukit.tensor([5.0, -7.0, 1.0], device=device, requires_grad=True)
    y = gpukit.tensor([2.0, 2.0, 0.0], device=device, requires_grad=True)
    quotient = gpukit.div(x, y, rounding_mode=mode)
    assert quotient[:2].tolist() == ([2, -4] if mode == "floor" else [2, -3])
    (quotient * 3).sum().backward()  # also where the divisor is 0
    assert x.grad.tolist() == y.grad.tolist() == [0, 0, 0]
    x.div(2, rounding_mode=mode).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    with gpukit.no_grad():
        assert not gpukit.div(x, y, rounding_mode=mode).requires_grad

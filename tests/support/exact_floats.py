"""Floating-point arithmetic by exact fractions, rounded once: what PTX says, and nothing of C++."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Real = float | Fraction


@dataclass(frozen=True)
class Format:
    """Bits of the fraction with the implied one, and the exponents of normal numbers."""

    precision: int
    lowest: int
    highest: int

    @property
    def bits(self) -> int:
        """All bits."""
        return self.precision + (self.highest - self.lowest + 2).bit_length()

    @property
    def infinity(self) -> int:
        """Its bits."""
        return (self.highest - self.lowest + 2) << (self.precision - 1)

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.bits - 1)


FORMATS = {
    "f16": Format(11, -14, 15),
    "bf16": Format(8, -126, 127),
    "f32": Format(24, -126, 127),
    "f64": Format(53, -1022, 1023),
}


def value_of(bits: int, form: Format) -> float:
    """The number of some bits; every format's numbers are exact as Python's."""
    sign = -1.0 if bits & form.sign else 1.0
    rest = bits & (form.sign - 1)
    if rest >= form.infinity:
        return sign * math.inf if rest == form.infinity else math.nan
    field, fraction = rest >> (form.precision - 1), rest & ((1 << (form.precision - 1)) - 1)
    if field:
        fraction |= 1 << (form.precision - 1)
    exponent = max(field, 1) - 1 + form.lowest - (form.precision - 1)
    return sign * math.ldexp(fraction, exponent)


def bits_of(value: Real, form: Format, mode: str = "rn", *, finite: bool = False) -> int | None:
    """The bits of a number rounded by a mode; None for NaN. `finite`: no infinities come out."""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        sign = form.sign if math.copysign(1, value) < 0 else 0
        if math.isinf(value):
            return sign | (form.infinity - 1 if finite else form.infinity)
        value = Fraction(value)
    else:
        sign = form.sign if value < 0 else 0
    if value == 0:
        return sign
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, form.lowest)
    units = size / Fraction(2) ** (exponent - form.precision + 1)
    whole = units.numerator // units.denominator
    rest = units - whole
    half = Fraction(1, 2)
    up = {
        "rn": rest > half or (rest == half and whole % 2 == 1),
        "rna": rest >= half,
        "rz": False,
        "rm": rest > 0 and sign != 0,
        "rp": rest > 0 and sign == 0,
    }[mode]
    result = whole + up + ((exponent - form.lowest) << (form.precision - 1))
    if result >= form.infinity:
        outwards = mode in {"rn", "rna"} or ((mode == "rm") == (sign != 0) and mode != "rz")
        result = form.infinity if outwards and not finite else form.infinity - 1
    return sign | result


def negative(value: float) -> bool:
    """Of numbers and zeros."""
    return math.copysign(1, value) < 0


def _signed_zero(is_negative: bool) -> float:
    return -0.0 if is_negative else 0.0


def add(a: float, b: float, mode: str = "rn") -> Real:
    """The exact sum; a sum of nothing has the sign that the mode gives it."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    total = Fraction(a) + Fraction(b)
    if total != 0:
        return total
    if a == 0 and negative(a) == negative(b):
        return a
    return _signed_zero(mode == "rm")


def multiply(a: float, b: float) -> Real:
    """The exact product."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    product = Fraction(a) * Fraction(b)
    return product if product != 0 else _signed_zero(negative(a) != negative(b))


def fused(a: float, b: float, c: float, mode: str = "rn") -> Real:
    """a * b + c, exact."""
    product = multiply(a, b)
    if not isinstance(product, Fraction) and not math.isfinite(product):
        return product + c
    if not math.isfinite(c):
        return c
    total = Fraction(product) + Fraction(c)
    if total != 0:
        return total
    if product == 0:
        return add(float(product), c, mode)
    return _signed_zero(mode == "rm")


def divide(a: float, b: float) -> Real:
    """The exact quotient."""
    sign = negative(a) != negative(b)
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0):
        return math.nan
    if math.isinf(a):
        return math.nan if math.isinf(b) else math.copysign(math.inf, -1 if sign else 1)
    if math.isinf(b) or a == 0:
        return _signed_zero(sign)
    if b == 0:
        return math.copysign(math.inf, -1 if sign else 1)
    return Fraction(a) / Fraction(b)


def root(a: float) -> Real:
    """The square root, right to far more bits than any format has."""
    if math.isnan(a) or a < 0:
        return math.nan
    if a == 0 or math.isinf(a):
        return a
    number, shift = Fraction(a), 700
    whole = math.isqrt((number.numerator << 2 * shift) // number.denominator)
    # Where it is not exact, half a unit more keeps it apart from every tie.
    is_exact = whole * whole * number.denominator == number.numerator << 2 * shift
    return Fraction(2 * whole + (0 if is_exact else 1), 2 << shift)


def smaller(a: float, b: float) -> float:
    """-0 is smaller than 0; a NaN gives way."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min((a, not negative(a)), (b, not negative(b)))[0]


def larger(a: float, b: float) -> float:
    """As `smaller`."""
    return -smaller(-a, -b) if not (math.isnan(a) and math.isnan(b)) else math.nan


def or_nan(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """The form in which a NaN wins."""
    return lambda a, b: math.nan if math.isnan(a) or math.isnan(b) else function(a, b)


def flushed(value: float, form: Format) -> float:
    """Subnormal numbers as zeros of their sign."""
    small = abs(value) < math.ldexp(1, form.lowest)
    return math.copysign(0.0, value) if small else value

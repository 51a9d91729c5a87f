"""Elementwise functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import COMPLEX
from gpukit.array_api._arguments import check_kind, check_number, promoted
from gpukit.errors import DTypeError


def _unary(
    name: str, kind: str, doc: str, core: str | None = None, call: Any = None
) -> Callable[[Tensor], Tensor]:
    call = call or getattr(_core, core or name)

    def function(x: Tensor, /) -> Tensor:
        check_kind(name, "x", x, kind)
        return call(x)  # type: ignore[no-any-return]

    _name(function, name, f"{doc}\n\nx: {kind}. The shape stays.", call)
    return function


def _binary(
    name: str, kind: str, doc: str, core: str | None = None
) -> Callable[[Tensor | complex, Tensor | complex], Tensor]:
    call = getattr(_core, core or name)

    def function(x1: Tensor | complex, x2: Tensor | complex, /) -> Tensor:
        for argument, x in (("x1", x1), ("x2", x2)):
            if isinstance(x, Tensor):
                check_kind(name, argument, x, kind)
            else:
                check_number(name, argument, x)
        return call(*promoted(x1, x2))  # type: ignore[no-any-return]

    words = f"{doc}\n\nx1, x2: {kind}, one may be a Python number; they broadcast."
    _name(function, name, words, call)
    return function


# Where the main namespace's example has inputs that the standard leaves open.
_EXAMPLES = {
    "divide": ("xp.asarray([1.0]), xp.asarray([2.0])", "tensor([0.5000])"),
    "imag": ("xp.asarray([1.0])", "tensor([0.])"),
    "round": ("xp.asarray([0.5, 1.5, 2.6])", "tensor([0., 2., 3.])"),
    "sign": ("xp.asarray([-3.0, 0.0, 2.0])", "tensor([-1.,  0.,  1.])"),
    "logical_and": ("xp.asarray([True]), xp.asarray([False])", "tensor([False])"),
    "logical_not": ("xp.asarray([True])", "tensor([False])"),
    "logical_or": ("xp.asarray([True]), xp.asarray([False])", "tensor([True])"),
    "logical_xor": ("xp.asarray([True]), xp.asarray([False])", "tensor([True])"),
}


def _example(name: str, call: Any) -> str:
    """The example of the main namespace's function in the standard's words."""
    if name in _EXAMPLES:
        arguments, result = _EXAMPLES[name]
        lines = f"    >>> xp.{name}({arguments})\n    {result}\n"
    else:
        lines = (call.__doc__ or "").partition(">>> import gpukit\n")[2]
        lines = lines.replace("gpukit.tensor(", "xp.asarray(").replace("gpukit.", "xp.")
        lines = lines.replace(f"xp.{call.__name__}(", f"xp.{name}(")
    return f"Example:\n    >>> import gpukit.array_api as xp\n{lines}"


def _name(function: Any, name: str, doc: str, call: Any) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n{_example(name, call)}"


def _imag(x: Tensor) -> Tensor:
    return x.imag if x.dtype in COMPLEX else _core.zeros_like(x)


def _round(x: Tensor) -> Tensor:
    if x.dtype not in COMPLEX:
        return _core.round(x)
    return _core.complex(_core.round(x.real), _core.round(x.imag))


acos = _unary("acos", "real or complex", "Inverse cosine, in radians.")
acosh = _unary("acosh", "real or complex", "Inverse hyperbolic cosine.")
asin = _unary("asin", "real or complex", "Inverse sine, in radians.")
asinh = _unary("asinh", "real or complex", "Inverse hyperbolic sine.")
atan = _unary("atan", "real or complex", "Inverse tangent, in radians.")
atanh = _unary("atanh", "real or complex", "Inverse hyperbolic tangent.")
cos = _unary("cos", "real or complex", "Cosine of radians.")
cosh = _unary("cosh", "real or complex", "Hyperbolic cosine.")
exp = _unary("exp", "real or complex", "e to the power of each element.")
expm1 = _unary("expm1", "real or complex", "exp(x) - 1, exact near 0.")
log = _unary("log", "real or complex", "Natural logarithm.")
log1p = _unary("log1p", "real or complex", "log(1 + x), exact near 0.")
log2 = _unary("log2", "real or complex", "Logarithm to base 2.")
log10 = _unary("log10", "real or complex", "Logarithm to base 10.")
reciprocal = _unary("reciprocal", "real or complex", "1 / x.")
signbit = _unary("signbit", "real floating", "True where the sign bit is set.")
sin = _unary("sin", "real or complex", "Sine of radians.")
sinh = _unary("sinh", "real or complex", "Hyperbolic sine.")
sqrt = _unary("sqrt", "real or complex", "Square roots.")
tan = _unary("tan", "real or complex", "Tangent of radians.")
tanh = _unary("tanh", "real or complex", "Hyperbolic tangent.")
abs = _unary("abs", "numeric", "Absolute values.")
ceil = _unary("ceil", "real numbers or integral", "Smallest integers not below the elements.")
conj = _unary("conj", "numeric", "Conjugates; real numbers are their own.")
floor = _unary("floor", "real numbers or integral", "Largest integers not above the elements.")
imag = _unary("imag", "numeric", "The imaginary part; of real numbers zeros.", call=_imag)
isfinite = _unary("isfinite", "numeric", "True where the element is finite.")
isinf = _unary("isinf", "numeric", "True where infinite.")
isnan = _unary("isnan", "numeric", "True where not a number.")
negative = _unary("negative", "numeric", "-x.")
positive = _unary("positive", "numeric", "+x.")
real = _unary("real", "numeric", "The real part; real numbers themselves.")
round = _unary("round", "numeric", "Nearest integers, halves to even.", call=_round)
sign = _unary(
    "sign", "numeric", "-1, 0 or 1 by the sign, x / abs(x) of complex x; NaN stays.", "sgn"
)
square = _unary("square", "numeric", "Squares.")
trunc = _unary("trunc", "real numbers or integral", "Fractions cut off.")
bitwise_invert = _unary(
    "bitwise_invert", "bool or integral", "Bitwise NOT; logical NOT for bool.", "bitwise_not"
)
logical_not = _unary("logical_not", "bool", "not x.")

add = _binary("add", "numeric", "x1 + x2.")
atan2 = _binary("atan2", "real floating", "Angle of the point (x2, x1), in radians.")
bitwise_and = _binary("bitwise_and", "bool or integral", "Bits set in both.")
bitwise_left_shift = _binary("bitwise_left_shift", "integral", "Bits moved to higher places.")
bitwise_or = _binary("bitwise_or", "bool or integral", "Bits set in one at least.")
bitwise_right_shift = _binary("bitwise_right_shift", "integral", "Bits moved to lower places.")
bitwise_xor = _binary("bitwise_xor", "bool or integral", "Bits set in exactly one.")
copysign = _binary("copysign", "real floating", "Size of x1 with the sign of x2.")
divide = _binary("divide", "real or complex", "x1 / x2.")
equal = _binary("equal", "any", "True where equal.", "eq")
floor_divide = _binary("floor_divide", "real numbers or integral", "Quotient rounded down.")
greater = _binary("greater", "real numbers or integral", "True where x1 > x2.")
greater_equal = _binary("greater_equal", "real numbers or integral", "True where x1 >= x2.")
hypot = _binary("hypot", "real floating", "Root of the sum of squares.")
less = _binary("less", "real numbers or integral", "True where x1 < x2.")
less_equal = _binary("less_equal", "real numbers or integral", "True where x1 <= x2.")
logaddexp = _binary("logaddexp", "real floating", "log(exp(x1) + exp(x2)) without overflow.")
logical_and = _binary("logical_and", "bool", "x1 and x2.")
logical_or = _binary("logical_or", "bool", "x1 or x2.")
logical_xor = _binary("logical_xor", "bool", "True where exactly one is.")
maximum = _binary("maximum", "real numbers or integral", "The larger of each pair. Propagates NaN.")
minimum = _binary(
    "minimum", "real numbers or integral", "The smaller of each pair. Propagates NaN."
)
multiply = _binary("multiply", "numeric", "x1 * x2.")
nextafter = _binary("nextafter", "real floating", "The next number from x1 towards x2.")
not_equal = _binary("not_equal", "any", "True where different.")
pow = _binary("pow", "numeric", "x1 to the power of x2.")
remainder = _binary("remainder", "real numbers or integral", "Remainder with the sign of x2.")
subtract = _binary("subtract", "numeric", "x1 - x2.")


def clip(
    x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None
) -> Tensor:
    """Limit to [min, max], numbers or arrays that broadcast with x; the dtype of x stays.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.clip(xp.asarray([1, 5, 9]), 2, 6)
        tensor([2, 5, 6])
    """
    check_kind("clip", "x", x, "real numbers or integral")
    result = x
    for name, bound, choose in (("min", min, _core.maximum), ("max", max, _core.minimum)):
        if bound is None:
            continue
        check_number("clip", name, bound)
        if isinstance(bound, float) and not x.dtype.is_floating_point:
            raise DTypeError(f"clip: {name} is {bound}, but x is {x.dtype.name}")
        result = choose(result, bound)
    return result.clone() if result is x else result.to(x.dtype)

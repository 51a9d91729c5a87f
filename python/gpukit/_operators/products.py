"""Products of vectors and matrices, powers of 2, tests of numbers; called as composed.py says."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError

# ---- products ----


def inner(input: Any, other: Any) -> Tensor:
    """Sums over the last dimensions."""
    x, y = tensor_of("inner", "input", input), tensor_of("inner", "other", other)
    if not x.ndim or not y.ndim:
        return x * y
    if x.shape[-1] != y.shape[-1]:
        raise ShapeError(
            f"inner: input is {tuple(x.shape)}, other {tuple(y.shape)}; the last sizes differ"
        )
    return _core.tensordot(x, y, ([-1], [-1]))


def vdot(input: Any, other: Any) -> Tensor:
    """The inner product of vectors."""
    x, y = tensor_of("vdot", "input", input), tensor_of("vdot", "other", other)
    return _core.dot(x.conj(), y)


def ger(input: Any, vec2: Any) -> Tensor:
    """All products of two vectors."""
    return _core.outer(tensor_of("ger", "input", input), tensor_of("ger", "vec2", vec2))


def _added(function: str, input: Any, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    x = tensor_of(function, "input", input)
    scale, factor = number_of(function, "alpha", alpha), number_of(function, "beta", beta)
    if scale != 1:
        product = product * scale
    if factor == 0:  # its NaN are ignored; its gradient is there, and zero
        if not x.requires_grad:
            return product
        x = x.masked_fill(_core.ones_like(x, dtype=_core.bool), 0)
        return product + x.expand(product.shape)
    return product + (x * factor if factor != 1 else x).expand(product.shape)


def addmv(input: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A matrix times a vector, added."""
    matrix, vector = tensor_of("addmv", "mat", mat), tensor_of("addmv", "vec", vec)
    return _added("addmv", input, _core.mv(matrix, vector), beta, alpha)


def addr(input: Any, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """All products of two vectors, added."""
    x, y = tensor_of("addr", "vec1", vec1), tensor_of("addr", "vec2", vec2)
    return _added("addr", input, _core.outer(x, y), beta, alpha)


def addbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """The sum of a batch of products, added."""
    x, y = tensor_of("addbmm", "batch1", batch1), tensor_of("addbmm", "batch2", batch2)
    product = _core.bmm(x, y)
    return _added("addbmm", input, product.sum(0, dtype=product.dtype), beta, alpha)


# ---- powers ----


def float_power(input: Any, exponent: Any) -> Tensor:
    """A power in double precision."""
    for value in (input, exponent):
        if not isinstance(value, Tensor):
            number = input if value is input else exponent
            if not isinstance(number, complex):
                number_of("float_power", "input" if value is input else "exponent", number)
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        tensor_of("float_power", "input", input)
    wide = _core.complex128 if _is_complex(input) or _is_complex(exponent) else _core.float64
    base, power = (v.to(wide) if isinstance(v, Tensor) else v for v in (input, exponent))
    return _core.pow(base, power)


def _is_complex(value: Any) -> bool:
    return value.is_complex() if isinstance(value, Tensor) else isinstance(value, complex)


def ldexp(input: Any, other: Any) -> Tensor:
    """Times a power of 2."""
    x, y = tensor_of("ldexp", "input", input), tensor_of("ldexp", "other", other)
    return x * _core.pow(2.0, y)


_MANTISSA = (1 << 52) - 1


def frexp(input: Any) -> Any:
    """The bits of float64, which holds the subnormal numbers of the others as normal ones."""
    x = tensor_of("frexp", "input", input)
    if not x.is_floating_point():
        raise DTypeError(f"frexp: input must be floating, it is {x.dtype.name}. Use x.float()")
    wide = x.detach().to(_core.float64)
    small = wide.abs() < 2.0**-1022
    bits = _core.where(small, wide * 2.0**54, wide).view(_core.int64)
    exponent = ((bits >> 52) & 0x7FF) - 1022 - 54 * small.long()
    plain = (wide != 0) & _core.isfinite(wide)
    exponent = _core.where(plain, exponent, 0)
    half = exponent >> 1  # in two steps, since 2 ** 1074 is no number
    scale = [((1023 - part) << 52).view(_core.float64) for part in (half, exponent - half)]
    mantissa = x * scale[0] * scale[1]
    return _core.return_type("frexp")((mantissa.to(x.dtype), exponent.to(_core.int32)))


# ---- tests ----


def _infinite(function: str, input: Any, sign: float) -> Tensor:
    x = tensor_of(function, "input", input)
    if x.is_complex():
        raise DTypeError(f"{function}: input is {x.dtype.name}; complex numbers have no sign")
    if not x.is_floating_point():
        return _core.zeros_like(x, dtype=_core.bool)
    return x == sign * float("inf")


def isneginf(input: Any) -> Tensor:
    """Minus infinity."""
    return _infinite("isneginf", input, -1)


def isposinf(input: Any) -> Tensor:
    """Plus infinity."""
    return _infinite("isposinf", input, 1)


def isreal(input: Any) -> Tensor:
    """No imaginary part."""
    x = tensor_of("isreal", "input", input)
    if x.is_complex():
        return x.imag == 0
    return _core.ones_like(x, dtype=_core.bool)


def is_nonzero(input: Any) -> bool:
    """One element that is not 0."""
    x = tensor_of("is_nonzero", "input", input)
    if x.numel() != 1:
        raise ArgumentError(f"is_nonzero: one element is needed, the tensor is {tuple(x.shape)}")
    return bool(x)


def is_signed(input: Any) -> bool:
    """A dtype with numbers below 0."""
    return not tensor_of("is_signed", "input", input).dtype.name.startswith(("uint", "bool"))


def is_same_size(input: Any, other: Any) -> bool:
    """One shape."""
    x, y = tensor_of("is_same_size", "input", input), tensor_of("is_same_size", "other", other)
    return bool(x.shape == y.shape)

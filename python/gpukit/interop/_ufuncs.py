"""NumPy's elementwise functions over tensors, with NumPy's dtypes.

`ufunc.resolve_dtypes` gives the dtypes that a function computes in; the operands are
converted to those, so that `int64 / int64` is float64 here and float32 in gpukit's own operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gpukit
from gpukit import _core

Tensor = _core.Tensor

# NumPy's name -> gpukit's, where they differ.
_RENAMED = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "divide": "div",
    "equal": "eq",
    "fabs": "abs",
    "greater": "gt",
    "greater_equal": "ge",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "subtract": "sub",
}
_SAME = """
    add bitwise_and bitwise_or bitwise_xor cbrt ceil copysign cos cosh exp exp2 expm1 floor
    floor_divide hypot isfinite isinf isnan log log10 log1p log2 logaddexp logaddexp2 logical_and
    logical_not logical_or logical_xor maximum minimum nextafter reciprocal remainder sign signbit
    sin sinh sqrt square tan tanh trunc
""".split()  # noqa: SIM905


def _fmax(a: Tensor, b: Tensor) -> Tensor:
    """The elementwise maximum; NaN is ignored if the other operand is a number."""
    return gpukit.where(gpukit.isnan(a), b, gpukit.where(gpukit.isnan(b), a, gpukit.maximum(a, b)))


def _fmin(a: Tensor, b: Tensor) -> Tensor:
    return gpukit.where(gpukit.isnan(a), b, gpukit.where(gpukit.isnan(b), a, gpukit.minimum(a, b)))


def _positive(a: Tensor) -> Tensor:
    return a.clone()


def _degrees(a: Tensor) -> Tensor:
    return a * (180 / gpukit.pi)


def _radians(a: Tensor) -> Tensor:
    return a * (gpukit.pi / 180)


_TABLE: dict[str, Callable[..., Tensor]] = {
    **{name: getattr(gpukit, name) for name in _SAME},
    **{name: getattr(gpukit, ours) for name, ours in _RENAMED.items()},
    "conjugate": _positive,
    "deg2rad": _radians,
    "degrees": _degrees,
    "fmax": _fmax,
    "fmin": _fmin,
    "positive": _positive,
    "rad2deg": _degrees,
    "radians": _radians,
}


def is_known(name: str) -> bool:
    """Whether a ufunc of this name can be computed."""
    return name in _TABLE


def to_gpukit(dtype: Any) -> _core.dtype:
    """The gpukit dtype of the same name; DTypeError if there is none."""
    return _core.dtype(np.dtype(dtype))


def to_numpy_dtype(dtype: _core.dtype) -> np.dtype[Any]:
    """NumPy's dtype of the same name; for bfloat16, ml_dtypes'."""
    found: np.dtype[Any] = dtype.__numpy_dtype__
    return found


def _resolved(ufunc: np.ufunc, inputs: tuple[Any, ...], dtype: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes that NumPy converts each operand to, and that of the result."""
    kinds = tuple(_kind(value) for value in inputs)
    asked: dict[str, Any] = {}
    if dtype is not None:
        asked["signature"] = (*[None] * ufunc.nin, np.dtype(dtype))
    return tuple(ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout), **asked))


def _kind(value: Any) -> Any:
    """An operand's dtype, or the Python type if the operand is a Python number."""
    if isinstance(value, Tensor):
        return to_numpy_dtype(value.dtype)
    if isinstance(value, (bool, np.generic)):
        return np.asarray(value).dtype
    return type(value)


def _converted(value: Any, dtype: np.dtype[Any], device: _core.device) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(to_gpukit(dtype))
    # NumPy wraps values that gpukit's conversion would refuse.
    return gpukit.from_numpy(np.asarray(value).astype(dtype).reshape(1)).reshape(()).to(device)


def compute(ufunc: np.ufunc, inputs: tuple[Any, ...], dtype: Any = None) -> Tensor:
    """The result of one call: tensors and numbers in, a tensor out."""
    device = next(value.device for value in inputs if isinstance(value, Tensor))
    dtypes = _resolved(ufunc, inputs, dtype)
    operands = [
        _converted(value, wanted, device)
        for value, wanted in zip(inputs, dtypes[: ufunc.nin], strict=True)
    ]
    result = _TABLE[ufunc.__name__](*operands)
    return result.to(to_gpukit(dtypes[-1]))

"""Data types: conversion, promotion, limits."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import COMPLEX
from gpukit._tensors import limits
from gpukit.array_api._arguments import KINDS, check_kind
from gpukit.errors import ArgumentError, DTypeError


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Convert to a dtype; with copy=False the array itself where nothing changes.

    Args:
        x: A tensor of any shape and dtype.
        dtype: A dtype.
        copy: False returns x itself if nothing changes.
        device: Device of the result; None: x's device.

    Returns:
        A tensor of x's shape.

    Raises:
        DTypeError: There is no such dtype.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.astype(xp.asarray([1.7]), xp.int64)
        tensor([1])
    """
    check_kind("astype", "x", x, "any")
    if x.dtype in COMPLEX and _core.dtype(dtype) not in {*COMPLEX, _core.dtype("bool")}:
        raise DTypeError(
            f"astype: x is {x.dtype.name}, whose imaginary part would be lost. Use real(x)"
        )
    return x.to(device=device, dtype=_core.dtype(dtype), copy=copy)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether promotion of the two dtypes gives `to`.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.can_cast(xp.int8, xp.int16), xp.can_cast(xp.float64, xp.float32)
        (True, False)
    """
    source = from_.dtype if isinstance(from_, Tensor) else _core.dtype(from_)
    target = _core.dtype(to)
    try:
        return bool(_core.promote_types(source, target) is target)
    except DTypeError:  # uint64 and a signed integer
        return False


class finfo(limits.finfo):
    """Limits of a floating dtype, or of an array's: bits, eps, max, min, smallest_normal, dtype.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.finfo(xp.float32).eps == 2.0**-23
        True
    """

    def __init__(self, type: Any, /) -> None:
        found = type.dtype if isinstance(type, Tensor) else _core.dtype(type)
        super().__init__(found)
        # Of a complex dtype the limits are those of its parts, and so is the dtype.
        self.dtype: Any = _core.dtype(str(self.dtype))


class iinfo(limits.iinfo):
    """Limits of an integer dtype, or of an array's: bits, max, min, dtype.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.iinfo(xp.int8).max
        127
    """

    def __init__(self, type: Any, /) -> None:
        found = type.dtype if isinstance(type, Tensor) else _core.dtype(type)
        super().__init__(found)
        self.dtype: Any = found


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether the dtype is of a kind of the standard, is this dtype, or is one of a tuple.

    Args:
        dtype: A dtype.
        kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex
            floating', 'numeric', a dtype, or a tuple of these.

    Returns:
        True or False.

    Raises:
        ValueError: There is no such kind.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.isdtype(xp.float32, "real floating"), xp.isdtype(xp.int8, (xp.bool, "integral"))
        (True, True)
    """
    found = _core.dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if not isinstance(kind, str):
        return found is _core.dtype(kind)
    if kind not in KINDS or kind.startswith("any") or " or " in kind:
        known = ", ".join(repr(name) for name in KINDS if name != "any" and " or " not in name)
        raise ArgumentError(f"isdtype: kind must be one of {known}, got {kind!r}")
    return found.name in KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> _core.dtype:
    """The dtype that holds the results of arrays, dtypes and Python numbers.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.result_type(xp.int8, xp.uint8, 3)
        gpukit.int16
    """
    found: Any = None
    numbers = []
    for item in arrays_and_dtypes:
        if isinstance(item, (bool, int, float, complex)):
            numbers.append(item)
            continue
        dtype = item.dtype if isinstance(item, Tensor) else _core.dtype(item)
        found = dtype if found is None else _core.promote_types(found, dtype)
    if found is None:
        raise ArgumentError("result_type: at least one array or dtype is needed")
    for number in numbers:
        found = _core.result_type(_core.empty(1, dtype=found, device="cpu"), number)
    return found  # type: ignore[no-any-return]

"""NumPy's numbers and arrays in torch's file, under the names that NumPy pickles them by."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

from gpukit._checkpoint.pickle_machine import ForbiddenError, Token, Unfinished

_CODE = re.compile(r"[biufcSU]\d{1,6}")  # no objects, records or dates


class NumpyType(Unfinished):
    """A dtype of NumPy, while its pickle is read."""

    def __init__(self, code: Any, *_: Any) -> None:
        if type(code) is not str or not _CODE.fullmatch(code):
            raise ForbiddenError(f"asks for the NumPy dtype {code!r:.40}")
        self._code = code
        self._order = "|"

    def build(self, state: Any) -> None:
        """The byte order, which is what its state adds for a dtype of numbers or text."""
        _, order, *parts = state
        if order not in ("<", ">", "|", "=") or any(part is not None for part in parts[:3]):
            raise TypeError("only NumPy dtypes of numbers and text are read")
        self._order = order

    def made(self) -> Any:
        """NumPy's dtype."""
        dtype = _numpy().dtype(self._order + self._code)
        if not dtype.itemsize:
            raise TypeError("a NumPy dtype of no bytes")
        return dtype


def scalar(kind: Any, data: Any) -> Any:
    """A number or text of NumPy."""
    if not isinstance(kind, NumpyType) or type(data) is not bytes:
        raise TypeError("a NumPy scalar is made of a dtype and bytes")
    dtype = kind.made()
    if len(data) != dtype.itemsize:
        raise ValueError(f"a NumPy scalar of {len(data)} bytes")
    return _numpy().frombuffer(data, dtype)[0]


def reconstruct(kind: Any, shape: Any, code: Any) -> Any:
    """An array without elements, whose state comes afterwards."""
    if kind != Token("numpy.ndarray") or shape != (0,) or code != b"b":
        raise TypeError("only plain NumPy arrays are read")
    return _numpy().empty(0)


def _fill(array: Any, state: Any) -> None:
    _, shape, kind, by_columns, data = state
    if array.size:
        raise TypeError("a NumPy array has one state")
    if type(shape) is not tuple or any(type(n) is not int or n < 0 for n in shape):
        raise TypeError("the shape of a NumPy array must be ints")
    if not isinstance(kind, NumpyType) or type(by_columns) is not bool or type(data) is not bytes:
        raise TypeError("a NumPy array is made of a dtype and bytes")
    dtype = kind.made()
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"a NumPy array of shape {shape} in {len(data)} bytes")
    array.__setstate__((1, shape, dtype, by_columns, data))


def build_of(value: Any) -> Callable[[Any, Any], None] | None:
    """What takes the state of a value of NumPy in a pickle; None for other values."""
    if isinstance(value, NumpyType):
        return NumpyType.build
    numpy = sys.modules.get("numpy")
    return _fill if numpy is not None and type(value) is numpy.ndarray else None


def is_saved(value: Any) -> bool:
    """Whether it is a number, a text or an array of them of NumPy."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value).__module__ != "numpy":
        return False
    if not isinstance(value, numpy.generic) and type(value) is not numpy.ndarray:
        return False
    return value.dtype.kind in "biufcSU" and value.dtype.itemsize > 0


def _numpy() -> Any:
    try:
        import numpy as np
    except ImportError:
        raise ForbiddenError("holds values of NumPy; pip install numpy to read it. It") from None
    return np


MODULES = ("numpy._core.multiarray", "numpy.core.multiarray")  # of NumPy 2, and before
CALLS: dict[str, Callable[..., Any]] = {
    "numpy.dtype": NumpyType,
    **{f"{module}.scalar": scalar for module in MODULES},
    **{f"{module}._reconstruct": reconstruct for module in MODULES},
}

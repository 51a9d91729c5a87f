"""Limits of dtypes."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._dtypes import COMPLEX, FLOATING, INTEGER, ROWS
from gpukit.errors import DTypeError


class finfo:
    """Limits of a floating dtype, or of a complex one's parts.

    Attributes are eps, max, min, tiny, smallest_subnormal, resolution and bits.

    Args:
        dtype: A floating or a complex dtype; None means the default one.

    Raises:
        DTypeError: The dtype is neither.

    Example:
        >>> import gpukit
        >>> gpukit.finfo(gpukit.float32).eps == 2.0**-23
        True
    """

    def __init__(self, dtype: Any = None) -> None:
        found = _core.get_default_dtype() if dtype is None else _core.dtype(dtype)
        if found in COMPLEX:  # the limits are those of its parts
            found = _core.float32 if found is _core.complex64 else _core.float64
        if found not in FLOATING:
            raise DTypeError(f"finfo: dtype {found.name} is not a floating type. Use iinfo.")
        self.dtype: Any = found.name
        self.bits = 8 * found.itemsize
        row = ROWS[found]
        self.eps, self.max, self.min = 2.0 ** (1 - row.precision), row.largest, -row.largest
        self.tiny = self.smallest_normal = 2.0 ** (row.smallest_exponent + row.precision - 1)
        self.smallest_subnormal = 2.0**row.smallest_exponent
        digits = int((row.precision - 1) * math.log10(2))
        self.resolution = float(f"1e-{digits}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer dtype: max, min, bits.

    Args:
        dtype: An integer dtype.

    Raises:
        DTypeError: The dtype is not an integer dtype.

    Example:
        >>> import gpukit
        >>> gpukit.iinfo(gpukit.int8)
        iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, dtype: Any) -> None:
        found = _core.dtype(dtype)
        if found not in INTEGER:
            raise DTypeError(f"iinfo: dtype {found.name} is not an integer type. Use finfo.")
        self.dtype: Any = found.name
        self.bits = 8 * found.itemsize
        signed = bool(found.is_signed)
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

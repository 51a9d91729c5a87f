"""Limits of dtypes."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit.errors import DTypeError

_FLOATS = {
    "float16": (2.0**-10, 65504.0, 2.0**-14, 2.0**-24, 1e-3),
    "bfloat16": (2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 1e-2),
    "float32": (2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 1e-6),
    "float64": (2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074, 1e-15),
}


class finfo:
    """Limits of a floating dtype: eps, max, min, tiny, smallest_subnormal, resolution, bits.

    Args:
        dtype: A floating dtype; None is the default one.

    Raises:
        DTypeError: The dtype is not floating.

    Example:
        >>> import gpukit
        >>> gpukit.finfo(gpukit.float32).eps == 2.0**-23
        True
    """

    def __init__(self, dtype: Any = None) -> None:
        found = _core.get_default_dtype() if dtype is None else _core.dtype(dtype)
        if not found.is_floating_point:
            raise DTypeError(f"finfo: dtype {found.name} is not a floating type. Use iinfo.")
        self.dtype: Any = found.name
        self.bits = 8 * found.itemsize
        eps, largest, normal, subnormal, resolution = _FLOATS[found.name]
        self.eps, self.max, self.min = eps, largest, -largest
        self.tiny = self.smallest_normal = normal
        self.smallest_subnormal = subnormal
        self.resolution = resolution

    def __repr__(self) -> str:
        return (
            f"finfo(dtype={self.dtype}, eps={self.eps:g}, max={self.max:g}, min={self.min:g}, "
            f"tiny={self.tiny:g})"
        )


class iinfo:
    """Limits of an integer dtype: max, min, bits.

    Args:
        dtype: An integer dtype.

    Raises:
        DTypeError: The dtype is no integer one.

    Example:
        >>> import gpukit
        >>> gpukit.iinfo(gpukit.int8)
        iinfo(dtype=int8, min=-128, max=127)
    """

    def __init__(self, dtype: Any) -> None:
        found = _core.dtype(dtype)
        if found.is_floating_point or found.name == "bool":
            raise DTypeError(f"iinfo: dtype {found.name} is not an integer type. Use finfo.")
        self.dtype: Any = found.name
        self.bits = 8 * found.itemsize
        signed = bool(found.is_signed)
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0

    def __repr__(self) -> str:
        return f"iinfo(dtype={self.dtype}, min={self.min}, max={self.max})"

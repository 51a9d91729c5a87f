"""The capabilities of the namespace, for code that queries them."""

from __future__ import annotations

from typing import Any

from gpukit import _core, _device
from gpukit.array_api._arguments import KINDS


def _complex_dtype() -> _core.dtype:
    wide = _core.get_default_dtype() is _core.float64
    return _core.complex128 if wide else _core.complex64


class _Info:
    """The results of __array_namespace_info__()."""

    def capabilities(self) -> dict[str, Any]:
        """Which optional parts of the standard are implemented."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> _core.device:
        """Where arrays are made when no device is named."""
        return _core.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:  # noqa: ARG002
        """The dtypes of arrays made without naming one."""
        return {
            "real floating": _core.get_default_dtype(),
            "complex floating": _complex_dtype(),
            "integral": _core.int64,
            "indexing": _core.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:  # noqa: ARG002
        """The dtypes by name: all, or those of a kind or of a tuple of kinds."""
        kinds = ("any",) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"dtypes: {one!r} is not a kind of dtype")
        return {name: _core.dtype(name) for one in kinds for name in KINDS[one]}

    def devices(self) -> list[_core.device]:
        """All devices of this process."""
        return list(_device.devices())


def __array_namespace_info__() -> _Info:  # noqa: N807
    """Return an object that describes capabilities, defaults, dtypes and devices.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.__array_namespace_info__().default_dtypes()["integral"]
        gpukit.int64
    """
    return _Info()

"""Intel's oneMKL, which gpukit is not built with."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: gpukit is not built with oneMKL.

    Example:
        >>> import gpukit
        >>> gpukit.backends.mkl.is_available()
        False
    """
    return False


__getattr__ = module_getattr(__name__)

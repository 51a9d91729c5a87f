"""OpenMP, which gpukit is not built with: its threads are its own (`gpukit.set_num_threads`)."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: gpukit is not built with OpenMP.

    Example:
        >>> import gpukit
        >>> gpukit.backends.openmp.is_available()
        False
    """
    return False


__getattr__ = module_getattr(__name__)

"""NVIDIA's cuDNN, which gpukit does not use: its kernels are its own.

`deterministic` and `benchmark` may be set, as programs for torch do; nothing depends on them, for
gpukit's kernels add in the same order every time and are chosen by size only.
"""

from __future__ import annotations

from gpukit._names.suggest import module_getattr

__all__ = ["benchmark", "deterministic", "enabled", "is_available", "version"]

benchmark = False
deterministic = True
enabled = False


def is_available() -> bool:
    """Return False: gpukit does not use cuDNN.

    Example:
        >>> import gpukit
        >>> gpukit.backends.cudnn.is_available()
        False
    """
    return False


def version() -> None:
    """Return None: gpukit does not use cuDNN.

    Example:
        >>> import gpukit
        >>> gpukit.backends.cudnn.version() is None
        True
    """


__getattr__ = module_getattr(__name__)

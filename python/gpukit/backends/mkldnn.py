"""Intel's oneDNN (MKL-DNN), which gpukit does not use: its CPU kernels are its own.

`enabled`, `deterministic`, `allow_tf32` and `fp32_precision` may be set, as programs for torch do;
nothing depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gpukit._names.suggest import module_getattr

__all__ = [
    "allow_tf32",
    "deterministic",
    "enabled",
    "flags",
    "fp32_precision",
    "is_acl_available",
    "is_available",
    "set_flags",
]

enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """Return False: gpukit does not use oneDNN.

    Example:
        >>> import gpukit
        >>> gpukit.backends.mkldnn.is_available()
        False
    """
    return False


def is_acl_available() -> bool:
    """Return False: gpukit does not use the Arm Compute Library.

    Example:
        >>> import gpukit
        >>> gpukit.backends.mkldnn.is_acl_available()
        False
    """
    return False


def set_flags(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
) -> tuple[bool, bool, bool, str]:
    """Set the flags that are not None, which changes no result.

    Args:
        _enabled: Whether torch would use oneDNN.
        _deterministic: Whether it would use deterministic kernels.
        _allow_tf32: Whether it would round to TF32.
        _fp32_precision: The precision of its float32 products.

    Returns:
        What the four were before.

    Example:
        >>> import gpukit
        >>> gpukit.backends.mkldnn.set_flags(_enabled=True)
        (True, False, True, 'none')
    """
    before = (enabled, deterministic, allow_tf32, fp32_precision)
    given = (_enabled, _deterministic, _allow_tf32, _fp32_precision)
    names = ("enabled", "deterministic", "allow_tf32", "fp32_precision")
    globals().update(
        {name: value for name, value in zip(names, given, strict=True) if value is not None}
    )
    return before


@contextmanager
def flags(
    enabled: bool = False,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Set the flags in the block of `with`, which changes no result.

    Args:
        enabled: Whether torch would use oneDNN.
        deterministic: Whether it would use deterministic kernels.
        allow_tf32: Whether it would round to TF32.
        fp32_precision: The precision of its float32 products.

    Example:
        >>> import gpukit
        >>> with gpukit.backends.mkldnn.flags(enabled=False):
        ...     gpukit.backends.mkldnn.enabled
        False
    """
    before = set_flags(enabled, deterministic, allow_tf32, fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)


__getattr__ = module_getattr(__name__)

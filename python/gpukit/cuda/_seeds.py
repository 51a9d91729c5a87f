"""Seeds: gpukit has one generator for all devices, so that a seed gives the same numbers everywhere."""

from __future__ import annotations

from gpukit import _core


def manual_seed(seed: int) -> None:
    """Seeds the generator of all devices, as `gpukit.manual_seed`.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.manual_seed(0)
    """
    _core.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """The same as `manual_seed`.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.manual_seed_all(0)
    """
    _core.manual_seed(seed)

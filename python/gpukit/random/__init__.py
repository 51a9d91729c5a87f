"""Seed and state of the process-wide generator; numbers are the same on every device."""

from __future__ import annotations

from gpukit._core import Generator, default_generator, initial_seed, manual_seed, seed
from gpukit._names.suggest import module_getattr

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def get_rng_state() -> bytes:
    """Return seed and position of the process-wide generator, for set_rng_state.

    Example:
        >>> import gpukit
        >>> state = gpukit.random.get_rng_state()
        >>> first = gpukit.rand(2)
        >>> gpukit.random.set_rng_state(state)
        >>> gpukit.equal(gpukit.rand(2), first)
        True
    """
    return default_generator.get_state()


def set_rng_state(state: bytes) -> None:
    """Go back to what get_rng_state returned.

    Args:
        state: What `get_rng_state` returned.

    Raises:
        TypeError: It is something else.

    Example:
        >>> import gpukit
        >>> state = gpukit.random.get_rng_state()
        >>> first = gpukit.rand(2)
        >>> gpukit.random.set_rng_state(state)
        >>> gpukit.equal(gpukit.rand(2), first)
        True
    """
    default_generator.set_state(state)


__getattr__ = module_getattr(__name__)

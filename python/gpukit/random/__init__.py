"""Seed and state of the process-wide generator; numbers are the same on every device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from gpukit._core import Generator, Tensor, default_generator, initial_seed, manual_seed, seed
from gpukit._names.earlier import renamed
from gpukit._names.suggest import module_getattr

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def get_rng_state() -> Tensor:
    """Return seed and position of the process-wide generator, as a tensor of bytes.

    Example:
        >>> import gpukit
        >>> state = gpukit.random.get_rng_state()
        >>> first = gpukit.rand(2)
        >>> gpukit.random.set_rng_state(state)
        >>> gpukit.equal(gpukit.rand(2), first)
        True
    """
    state: Tensor = default_generator.get_state()
    return state


@renamed(state="new_state")
def set_rng_state(new_state: Tensor | bytes) -> None:
    """Go back to what get_rng_state returned.

    Args:
        new_state: What `get_rng_state` returned, or its bytes.

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
    if not isinstance(new_state, (Tensor, bytes)):
        raise TypeError(
            "set_rng_state: new_state must be what get_rng_state() returned, got "
            f"{new_state!r:.80} ({type(new_state).__name__})"
        )
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,  # noqa: ARG001
    enabled: bool = True,
    device_type: str = "cuda",  # noqa: ARG001
) -> Iterator[None]:
    """Go back to the state of the process-wide generator at the end of the block.

    Args:
        devices: Accepted for compatibility with PyTorch: all devices draw from one generator.
        enabled: False does nothing.
        device_type: Accepted likewise.

    Example:
        >>> import gpukit
        >>> _ = gpukit.manual_seed(0)
        >>> with gpukit.random.fork_rng():
        ...     first = gpukit.rand(2)
        >>> gpukit.equal(gpukit.rand(2), first)
        True
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)


__getattr__ = module_getattr(__name__)

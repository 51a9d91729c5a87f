"""torch.nn.attention: which implementation of attention runs. gpukit has one."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.Enum):
    """torch's implementations of `scaled_dot_product_attention`.

    Args:
        value: The number of one of them.

    Example:
        >>> from gpukit.nn.attention import SDPBackend
        >>> SDPBackend.MATH.value
        0
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(
    backends: SDPBackend | Iterable[SDPBackend], set_priority: bool = False
) -> Iterator[None]:
    """Name torch's implementations of attention for a block: gpukit runs its own in any case.

    Args:
        backends: One implementation, or a list of them.
        set_priority: Accepted for compatibility with PyTorch.

    Raises:
        TypeError: backends holds something other than members of SDPBackend.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.attention import SDPBackend, sdpa_kernel
        >>> x = gpukit.ones(1, 1, 2, 4)
        >>> with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        ...     gpukit.nn.functional.scaled_dot_product_attention(x, x, x).shape
        (1, 1, 2, 4)
    """
    del set_priority
    several = isinstance(backends, Iterable) and not isinstance(backends, str)
    for each in backends if several else [backends]:  # type: ignore[union-attr]
        if not isinstance(each, SDPBackend):
            raise TypeError(
                f"sdpa_kernel: backends must be members of SDPBackend, got {backends!r:.80}"
            )
    yield

"""How much a function does: operations, bytes and floating-point operations, counted as it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpukit import _core


@dataclass(frozen=True)
class Work:
    """What the gpukit operations of one call must do at least.

    `bytes` is read and written once by every operation; `flops` has a product of (m, k) and (k, n)
    as 2 m n k, and one for each element of a sum, a comparison or an `exp`. What NumPy or another
    library does inside the function is not seen.
    """

    operations: int = 0
    bytes: float = 0.0
    flops: dict[str, float] = field(default_factory=dict)
    longest_sum: int = 1

    @property
    def total_flops(self) -> float:
        """Floating-point and integer operations of all dtypes."""
        return sum(self.flops.values())


def count_work(device: Any, call: Callable[[], Any]) -> Work:
    """Calls once, and counts the operations that reach `device`.

    Example:
        >>> import gpukit
        >>> from gpukit.bench.work import count_work
        >>> x = gpukit.ones(10, 20)
        >>> work = count_work("cpu", lambda: x @ x.T)
        >>> work.operations, work.flops, work.longest_sum
        (1, {'float32': 4000.0}, 20)
    """
    _core.begin_count(device)
    try:
        call()
    finally:
        counted = _core.end_count(device)
    return Work(
        counted["operations"], counted["bytes"], counted["flops"], max(1, counted["longest_sum"])
    )

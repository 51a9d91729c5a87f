"""How much a function does: operations, bytes and floating-point operations, counted as it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpukit import _core


@dataclass(frozen=True)
class Work:
    """The minimum work of the gpukit operations of one call.

    `bytes` is read and written once by every operation; `flops` has a product of (m, k) and (k, n)
    as 2 m n k, and one for each element of a sum, a comparison or an `exp`. What NumPy or another
    library does inside the function is not seen. Of the `operations`, `copies` only move values,
    and `unknown` are kernels of the user's own, whose bytes and flops are not counted.
    """

    operations: int = 0
    bytes: float = 0.0
    flops: dict[str, float] = field(default_factory=dict)
    longest_sum: int = 1
    copies: int = 0
    unknown: int = 0

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
    return count_works([device], call)[0]


def count_works(devices: Sequence[Any], call: Callable[[], Any]) -> list[Work]:
    """Calls once, and counts the operations that reach each of the devices."""
    counts = [_core.DeviceWorkCount(device) for device in devices]
    try:
        for count in counts:
            count.start()
        call()
    finally:
        for count in counts:
            count.stop()
    counted = [count.count() for count in counts]
    return [
        Work(
            one["operations"],
            one["bytes"],
            one["flops"],
            max(1, one["longest_sum"]),
            one["copies"],
            one["unknown"],
        )
        for one in counted
    ]


def total_work(works: Sequence[Work]) -> Work:
    """The work of several devices together."""
    flops: dict[str, float] = {}
    for work in works:
        for dtype, count in work.flops.items():
            flops[dtype] = flops.get(dtype, 0.0) + count
    return Work(
        sum(work.operations for work in works),
        sum(work.bytes for work in works),
        flops,
        max((work.longest_sum for work in works), default=1),
        sum(work.copies for work in works),
        sum(work.unknown for work in works),
    )

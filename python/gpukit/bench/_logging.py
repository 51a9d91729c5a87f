"""`bench.logging`: the cost of reading every result of a loop, and of reading fewer."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import gpukit
from gpukit.bench.accuracy import relative_error, tolerance
from gpukit.bench.case import one_device
from gpukit.bench.engine import Plan
from gpukit.bench.measuring import median_seconds
from gpukit.bench.options import check_count
from gpukit.bench.stopping import StoppingRule
from gpukit.bench.tables import ResultTable, speedup_text
from gpukit.report import Column, Progress, bytes_text, duration_text

_NUMBER = re.compile(r"tensor\(([-+.\deinfa]+)")
# Printed values have four digits after the decimal point.
_PRINTED = 1e-4


class LoggingTable(ResultTable):
    """The same loop with its log kept in several ways; `seconds` is of the whole loop.

    Example:
        >>> import gpukit
        >>> table = gpukit.bench.logging(n=8, size=16, device="cpu")
        >>> len(table.rows) >= 2
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("how", "log"),
        Column("seconds", "whole loop", duration_text, numeric=True),
        Column("per_entry", "an entry", duration_text, numeric=True),
        Column("copies", "waits and copies to the host", numeric=True),
        Column("ratio", "against the fastest", speedup_text, numeric=True),
        Column("answer", "answer"),
    )


def _printed(norms: Iterable[Any]) -> list[float]:
    """Each norm printed, as the tutorials do; the values are read back from the text."""
    sink = io.StringIO()
    for norm in norms:
        print(norm, file=sink)
    return [float(value) for value in _NUMBER.findall(sink.getvalue())]


class _Loop:
    """n products with their Frobenius norms: the same work, whatever happens to the norms."""

    def __init__(self, n: int, size: int, device: Any) -> None:
        generator = gpukit.Generator().manual_seed(0)
        self.n = n
        self.matrices = [
            gpukit.rand(size, size, generator=generator).to(device) for _ in range(min(n, 8))
        ]

    def _norms(self) -> Any:
        count = len(self.matrices)
        for i in range(self.n):
            a = self.matrices[i % count]
            yield (a @ a).norm()

    def by_print(self) -> list[float]:
        return _printed(self._norms())

    def by_item(self) -> list[float]:
        return [norm.item() for norm in self._norms()]

    def kept(self) -> list[float]:
        return gpukit.stack(list(self._norms())).tolist()  # type: ignore[no-any-return]

    def by_device_log(self) -> list[float]:
        log = gpukit.DeviceLog(self.n, device=self.matrices[0].device)
        for norm in self._norms():
            log.append(norm)
        return [float(value) for value in log.numpy()]


def _variants(loop: _Loop) -> list[tuple[str, Callable[[], list[float]], int]]:
    """(name, the loop, copies to the host) of each way."""
    return [
        ("print each", loop.by_print, loop.n),
        ("item() each", loop.by_item, loop.n),
        ("kept, moved once", loop.kept, 1),
        ("DeviceLog", loop.by_device_log, 1),
    ]


def _time(call: Callable[[], Any], device: Any) -> float:
    rule = StoppingRule(repeats=1 if device.simulated else 5)
    return median_seconds(call, device, Plan(rule, warmup=1))


# What the allocator rounds a tensor's memory on a GPU up to.
_BLOCK = 512


def _notes(n: int, device: Any) -> list[str]:
    if device.type != "cuda":
        return ["On the CPU nothing waits: item() costs a call only."]
    return [
        f"print and item() wait for the device at each entry, {n} times: what costs is the wait.",
        f"A list and a DeviceLog wait once. The list keeps a block of memory for each entry "
        f"({bytes_text(_BLOCK * n)}), the log its numbers ({bytes_text(4 * n)}); it can be "
        "bounded, read without a wait (flush) and printed meanwhile (live).",
    ]


def _judge(values: list[float], expected: list[float], how: str, size: int) -> bool:
    limit = _PRINTED if how == "print each" else tolerance("float32", size)
    return relative_error(values, expected) <= limit


def logging(n: int = 1000, size: int = 100, device: Any = None) -> LoggingTable:
    """Times a loop of n products with their norms, logged in several ways; equal norms first.

    "print each" and "item() each" wait for the device and copy a number n times; the others move
    all numbers once. A list of tensors keeps a block of memory for each entry, a `DeviceLog` four
    bytes; they queue the same operations, so neither is the faster one on the device.

    Args:
        n: products.
        size: of the square matrices.
        device: default the GPU if there is one, else the CPU.

    Example:
        >>> import gpukit
        >>> table = gpukit.bench.logging(n=3, size=8, device="cpu")
        >>> [row["copies"] for row in table.rows][:3], table.answers_differ
        ([3, 3, 1], False)
    """
    check_count("logging", "n", n)
    check_count("logging", "size", size)
    where = one_device(device)
    loop = _Loop(n, size, where)
    expected = loop.by_item()
    rows: list[dict[str, Any]] = []
    ways = _variants(loop)
    with Progress(len(ways)) as progress:
        for how, call, copies in ways:
            progress.step(how)
            agrees = _judge(call(), expected, how, size)
            seconds = _time(call, where)
            rows.append(
                {
                    "how": how,
                    "copies": copies,
                    "agrees": agrees,
                    "answer": "agrees" if agrees else "results differ",
                    "seconds": seconds,
                    "per_entry": seconds / n,
                }
            )
    _set_ratios(rows)
    title = f"logging {n} norms of products {size}×{size} on {where}"
    return LoggingTable(title, rows, _notes(n, where), simulated=where.simulated)


def _set_ratios(rows: list[dict[str, Any]]) -> None:
    good = [row for row in rows if row.get("agrees")]
    fastest = min((row["seconds"] for row in good), default=None)
    for row in good:
        row["ratio"] = row["seconds"] / fastest

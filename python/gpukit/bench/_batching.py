"""`bench.batching`: many small operations against one large one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gpukit
from gpukit._names.plural import count_of
from gpukit.bench.accuracy import largest_error, tolerance
from gpukit.bench.case import Case, one_device
from gpukit.bench.judge import Measured
from gpukit.bench.measuring import run_on
from gpukit.bench.options import Options, check_count, quick
from gpukit.bench.tables import ResultTable, percent_text, speedup_text
from gpukit.report import Column, Progress, duration_text

_SMALL_SHARE = 0.10


class BatchingResult(ResultTable):
    """One call on b products at once, by b, compared with a loop of n calls.

    Attributes:
        launch_seconds: what a call costs besides its work.
        ratio: the loop's time by that of one call with all n; None when their results differ.
        batch_under_10: products in a call from which the launch costs under 10 %; None if never.

    Example:
        >>> import gpukit
        >>> result = gpukit.bench.batching(n=8, size=16, device="cpu")
        >>> type(result).__name__, result.launch_seconds >= 0
        ('BatchingResult', True)
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("how", "call"),
        Column("seconds", "time", duration_text, numeric=True),
        Column("per_item", "a product", duration_text, numeric=True),
        Column("launch_share", "launch", percent_text, numeric=True),
        Column("speedup", "against the loop", speedup_text, numeric=True),
        Column("answer", "answer"),
    )

    @property
    def launch_seconds(self) -> float | None:
        """What a call costs besides its work."""
        return self.facts.get("launch_seconds")

    @property
    def ratio(self) -> float | None:
        """The loop's time by that of one call with all products."""
        return self.facts.get("ratio")

    @property
    def batch_under_10(self) -> int | None:
        """Products in a call from which the launch costs under 10 % of the time."""
        return self.facts.get("batch_under_10")


def _batches(n: int) -> list[int]:
    """1, 2, 4 … and n."""
    return sorted({*(2**k for k in range(n.bit_length()) if 2**k <= n), n})


def _loop(a: Any, b: Any) -> list[Any]:
    return [a[i] @ b[i] for i in range(len(a))]


def _one_by_one(a: Any, b: Any, device: Any, options: Options) -> Measured:
    return run_on(Case(_loop, (a, b), name="loop"), device, options)


def _batch_row(a: Any, b: Any, device: Any, options: Options) -> tuple[dict[str, Any], Any]:
    count = len(a)
    seen = run_on(Case(gpukit.bmm, (a, b), name=f"batch {count}"), device, options)
    seconds = seen.result.median or 0.0
    row = {
        "how": f"one call, {count_of(count, 'product')}",
        "batch": count,
        "seconds": seconds,
    }
    row["per_item"] = seconds / count
    return row, seen.answer


def _judge_launch(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The cost of a call: one separate product, less the time of one product in the best batch."""
    launch = rows[0]["seconds"] - min(row["per_item"] for row in rows)
    for row in rows:
        row["launch_share"] = 100 * launch / row["seconds"]
    small = [r["batch"] for r in rows if r["launch_share"] < 100 * _SMALL_SHARE]
    return {"launch_seconds": launch, "batch_under_10": small[0] if small else None}


def _sentence(facts: dict[str, Any], n: int) -> str:
    under = facts["batch_under_10"]
    cost = f"A call costs {duration_text(facts['launch_seconds'])} besides its work"
    if under is None:
        return f"{cost}; that is over 10 % of the time up to {n} products in one call."
    if under == 1:
        return f"{cost}; that is under 10 % of the time of a single product."
    return f"{cost}; from {under} products in one call on that is under 10 % of the time."


def batching(n: int = 1000, size: int = 100, device: Any = None) -> BatchingResult:
    """Times n products of size × size in a loop, and batched into fewer and larger calls.

    Args:
        n: products.
        size: of the square matrices.
        device: default the GPU if there is one, else the CPU.

    Example:
        >>> import gpukit
        >>> found = gpukit.bench.batching(n=4, size=8, device="cpu")
        >>> [row["batch"] for row in found.rows[1:]], found.launch_seconds >= 0
        ([1, 2, 4], True)
    """
    check_count("batching", "n", n)
    check_count("batching", "size", size)
    where = one_device(device)
    options = quick(0.3, repeats=1 if where.simulated else None)
    generator = gpukit.Generator().manual_seed(0)
    a, b = (gpukit.rand(n, size, size, generator=generator).to(where) for _ in range(2))
    batches = _batches(n)
    rows: list[dict[str, Any]] = []
    with Progress(len(batches) + 1) as progress:
        progress.step("loop")
        loop = _one_by_one(a, b, where, options)
        answer: Any = None
        for batch in batches:
            progress.step(f"batch {batch}")
            row, answer = _batch_row(a[:batch], b[:batch], where, options)
            rows.append(row)
    facts = _judge_launch(rows)
    rows.insert(0, _loop_row(loop, n))
    _judge_answers(rows, facts, loop, answer, size)
    title = f"batching {n} products {size}×{size} on {where}"
    return BatchingResult(
        title, rows, [_sentence(facts, n)], facts=facts, simulated=where.simulated
    )


def _loop_row(loop: Measured, n: int) -> dict[str, Any]:
    seconds = loop.result.median or 0.0
    return {"how": f"loop of {n} calls", "seconds": seconds, "per_item": seconds / n}


def _judge_answers(
    rows: list[dict[str, Any]], facts: dict[str, Any], loop: Measured, batched: Any, size: int
) -> None:
    """A ratio only when the largest batch computes what the loop computes."""
    import numpy as np

    error = largest_error(np.stack(loop.answer), batched)
    largest = rows[-1]
    largest["agrees"] = error <= tolerance("float32", size)
    largest["answer"] = "agrees" if largest["agrees"] else f"results differ ({error:.2g})"
    if largest["agrees"] and largest["seconds"] > 0:
        facts["ratio"] = largest["speedup"] = rows[0]["seconds"] / largest["seconds"]

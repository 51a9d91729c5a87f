"""gpukit.what_if: what other cards would take for the same work, as an interval.

A prediction from three figures of a card (arithmetic, memory, link) and from how many operations
there are. It is never called a measurement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._arguments import names_of, number_of
from gpukit._names.plural import count_of
from gpukit.bench._peaks import Peaks, table_names, table_peaks
from gpukit.bench.result import BenchResult
from gpukit.bench.work import Work, count_work
from gpukit.errors import ArgumentError, BenchError
from gpukit.report import Column, Table, Tabular, bytes_text, count_text, duration_text

# What queueing one operation costs, from a short kernel on a quick host to a slow host.
_LAUNCH = (2e-6, 15e-6)
# The shares of a peak that real kernels reach: the best, and those of small or awkward shapes.
_ARITHMETIC = (1.0, 0.25)
_MEMORY = (1.0, 0.5)
_LINK = (1.0, 0.4)
_ORDINARY = 8.0  # GB/s: memory that is not pinned is copied by the processor first
# A copy's own delay.
_COPY = (4e-6, 30e-6)
# What measured work on one card says of another: as gpukit.cloud.estimate.
_SPREAD = 1.3


@dataclass(frozen=True)
class Prediction:
    """The predicted time on one card, in seconds.

    Attributes:
        card: Its name.
        low, high: The interval.
        bound: What takes longest at the card's peaks: launch, memory, compute or copy.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(256, 256)
        >>> one = gpukit.what_if(lambda: x @ x, cards=["T4"]).predictions[0]
        >>> one.card, one.low < one.high
        ('T4', True)
    """

    card: str
    low: float
    high: float
    bound: str


@dataclass(frozen=True, repr=False)
class WhatIf(Tabular):
    """Predictions by card, the quickest first. None of them is a measurement.

    Attributes:
        predictions: A Prediction each.
        work: What was counted.
        copied: Bytes to and from the GPU.
        basis: What the figures are based on.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(256, 256)
        >>> table = gpukit.what_if(lambda: x @ x, cards=["T4", "H100"])
        >>> [one.card for one in table.predictions]
        ['H100', 'T4']
    """

    predictions: list[Prediction]
    work: Work
    copied: float
    basis: str

    def to_table(self) -> Table:
        """The content of the display."""
        columns = [
            Column("card", "card"),
            Column("low", "predicted from", duration_text, numeric=True),
            Column("high", "to", duration_text, numeric=True),
            Column("bound", "bound"),
        ]
        rows = [one.__dict__ for one in self.predictions]
        notes = [
            f"Predictions, not measurements: {count_of(self.work.operations, 'operation')}, "
            f"{count_text(self.work.total_flops)}FLOP, {bytes_text(self.work.bytes)} in memory, "
            f"{bytes_text(self.copied)} over the link; {self.basis}."
        ]
        return Table("What another card would take", columns, rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """All figures."""
        return {
            "predictions": [one.__dict__ for one in self.predictions],
            "operations": self.work.operations,
            "flops": self.work.total_flops,
            "bytes": self.work.bytes,
            "copied": self.copied,
            "basis": self.basis,
            "measured": False,
        }


def what_if(
    work: Callable[..., Any] | BenchResult,
    *args: Any,
    cards: str | Sequence[str] | None = None,
    copied: float = 0.0,
    **kwargs: Any,
) -> WhatIf:
    """Predict what the same work would take on other cards, as an interval for each.

    A function is called once on the CPU and its operations, FLOPs and bytes are counted. The low
    end is what the card's datasheet allows, the high end what awkward shapes and a slow host may
    make of it. A result that was measured on a card of `gpukit.cards()` is scaled instead.

    Args:
        work: A function of gpukit's (or torch's) tensors, or a BenchResult.
        args: Its arguments.
        cards: Names of `gpukit.cards()`; None means all.
        copied: Bytes that each call copies to or from the GPU.
        kwargs: Its keyword arguments.

    Returns:
        A WhatIf.

    Raises:
        ArgumentError: An unknown card or none, or `copied` is negative or not finite.
        BenchError: Nothing could be counted, or the result has no time.
        TypeError: `work` is neither a function nor a BenchResult, `cards` is no text or list of
            texts, or `copied` is not a number.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(64, 64)
        >>> print(gpukit.what_if(lambda: x @ x, cards="T4").predictions[0].bound)
        launch
    """
    copied = number_of("what_if", "copied", copied, "a number of bytes")
    if not 0 <= copied < math.inf:
        raise ArgumentError(f"what_if: copied must be bytes, 0 or more and finite, got {copied!r}")
    names = _names(cards)
    if isinstance(work, BenchResult):
        counted, scaled = _of_result(work), _scale(work)
        basis = (
            f"scaled from {duration_text(work.median or 0)} measured on {work.card}"
            if scaled
            else "counted; its time was not measured on a card of the table, and is not used"
        )
    elif callable(work):
        counted, scaled = _count(work, args, kwargs), None
        basis = "counted on the CPU; datasheets of the cards"
    else:
        raise TypeError(f"what_if: work must be a function or a BenchResult, got {work!r:.80}")
    found = [_predict(name, counted, float(copied), scaled) for name in names]
    found.sort(key=lambda one: (one.low, one.high))
    return WhatIf(found, counted, float(copied), basis)


def _names(cards: str | Sequence[str] | None) -> list[str]:
    known = table_names()
    if cards is None:
        return list(known)
    wanted = names_of("what_if", "cards", cards, "['T4', 'H100']")
    if not wanted:
        raise ArgumentError("what_if: cards is empty; name one of gpukit.cards(), or None for all")
    for name in wanted:
        if table_peaks(name) is None:
            from gpukit._names.suggest import near

            meant = near(name, known)
            hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(known)}."
            raise ArgumentError(f"what_if: there is no card {name!r}. {hint}")
    return wanted


def _count(work: Callable[..., Any], args: Any, kwargs: Any) -> Work:
    from gpukit.bench.torch_work import count_torch
    from gpukit.bench.work import total_work

    torchs: dict[str, Work] = {}
    own = count_work(
        _core.device("cpu"), lambda: torchs.update(count_torch(lambda: work(*args, **kwargs)))
    )
    counted = total_work([own, *torchs.values()])
    if counted.operations == 0:
        raise BenchError(
            "what_if: nothing was counted: work runs no gpukit or torch operator on the CPU. "
            "Give a function of CPU tensors"
        )
    return counted


def _of_result(result: BenchResult) -> Work:
    if result.operations is None:
        raise BenchError(f"what_if: nothing was counted in {result.name}")
    flops = {"float32": result.flops} if result.flops else {}
    return Work(result.operations, result.bytes or 0.0, flops)


def _scale(result: BenchResult) -> Callable[[str], tuple[float, float]] | None:
    """From a card to the interval, where the result was measured on a card."""
    if result.simulated or not result.median or table_peaks(result.card) is None:
        return None
    from gpukit.cloud.estimation import speed_range

    seconds = result.median

    def interval(card: str) -> tuple[float, float]:
        slow, fast = speed_range(result.card, card, result.bound)
        if slow == fast:  # the card itself
            return seconds / _SPREAD, seconds * _SPREAD
        return seconds / fast, seconds / slow

    return interval


def _predict(
    card: str,
    work: Work,
    copied: float,
    scaled: Callable[[str], tuple[float, float]] | None,
) -> Prediction:
    peaks = table_peaks(card)
    assert peaks is not None  # _names has looked
    parts = _parts(work, copied, peaks)
    bound = max(parts, key=lambda name: parts[name][0])
    if scaled is not None:
        return Prediction(card, *scaled(card), bound)
    # At best everything overlaps and launch overhead is hidden by earlier work; at worst nothing
    # overlaps.
    low = max(low for low, _ in parts.values())
    high = sum(high for _, high in parts.values())
    return Prediction(card, low, high, bound)


def _parts(work: Work, copied: float, peaks: Peaks) -> dict[str, tuple[float, float]]:
    """The least and the most seconds of each kind."""
    compute = 0.0
    for dtype, flops in work.flops.items():
        rate = peaks.gflops(dtype) or peaks.fp32
        compute += flops / (rate or 1.0) / 1e9
    memory = work.bytes / (peaks.bandwidth or 1.0) / 1e9
    parts = {
        "launch": (work.operations * _LAUNCH[0], work.operations * _LAUNCH[1]),
        "memory": (memory / _MEMORY[0], memory / _MEMORY[1]),
        "compute": (compute / _ARITHMETIC[0], compute / _ARITHMETIC[1]),
    }
    if copied:
        link = peaks.link or 1.0
        slow = min(link * _LINK[1], _ORDINARY)
        parts["copy"] = (
            copied / (link * _LINK[0]) / 1e9 + _COPY[0],
            copied / slow / 1e9 + _COPY[1],
        )
    return parts

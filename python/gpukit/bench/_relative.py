"""`bench.relative`: this device as a multiple of a known card, each multiple with its workload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gpukit
from gpukit.bench._bandwidth import bandwidth
from gpukit.bench._matmul import matmul_case
from gpukit.bench._peaks import Peaks, peaks, table_names, table_peaks
from gpukit.bench.case import Case, one_device
from gpukit.bench.measuring import run_on
from gpukit.bench.options import quick
from gpukit.bench.tables import ResultTable, plain_rate, speedup_text
from gpukit.report import Column, Progress

_SIZE = 4096
_COPIED = 64 << 20


class RelativeTable(ResultTable):
    """Multiples of a card's datasheet, one row a workload.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.bench.RelativeTable, gpukit.bench.ResultTable)
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("what", "workload"),
        Column("here", "here", plain_rate, numeric=True),
        Column("there", "yardstick", plain_rate, numeric=True),
        Column("unit", "unit"),
        Column("multiple", "multiple", speedup_text, numeric=True),
    )


def _reference(to: Any) -> Peaks:
    found = table_peaks(to) if isinstance(to, str) else None
    if found is not None:
        return found
    from gpukit._names.suggest import near

    meant = near(str(to), table_names())
    hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(table_names())}."
    raise ValueError(f"bench.relative: there is no card {to!r} in the table. {hint}")


def _measured(device: Any) -> dict[str, float | None]:
    """GFLOP/s and GB/s that this device reaches."""
    size = 1024 if device.type == "cpu" else _SIZE
    product = run_on(matmul_case(size), device, quick(2.0)).result
    source = gpukit.ones(_COPIED // 4, device=device)
    copy = run_on(Case(lambda x: x.clone(), (source,), name="copy"), device, quick()).result
    link = None
    if device.type != "cpu":
        link = bandwidth(device, [_COPIED], pinned=True, directions=("h2d",)).best("h2d pinned")
    return {
        f"float32 product {size}×{size}": product.gflops,
        "copy on the device": copy.gbps,
        "pinned copy to the device": link,
    }


def _listed(device: Any) -> dict[str, float | None]:
    """The same figures of a simulated card, from its attributes and the table."""
    best = peaks(device)
    return {
        "float32 product": best.fp32,
        "copy on the device": best.bandwidth,
        "pinned copy to the device": best.link,
    }


def relative(to: str = "P100", device: Any = None) -> RelativeTable:
    """Gives this device as multiples of another card, each naming its workload.

    The other card's figures are its datasheet's, which a real one reaches to some 80 to 95 %.

    Args:
        to: a card of the table.
        device: default the GPU if there is one, else the CPU.

    Example:
        >>> import gpukit
        >>> gpukit.bench.relative("P10")
        Traceback (most recent call last):
        ...
        ValueError: bench.relative: there is no card 'P10' in the table. Did you mean 'P100'?
    """
    yardstick = _reference(to)
    where = one_device(device)
    with Progress(1) as progress:
        progress.step(f"products and copies on {where}")
        here = _listed(where) if where.simulated else _measured(where)
    there = (yardstick.fp32, yardstick.bandwidth, yardstick.link)
    rows = [
        {
            "what": what,
            "here": mine,
            "there": theirs,
            "unit": unit,
            "multiple": mine / theirs if mine and theirs else None,
        }
        for (what, mine), theirs, unit in zip(
            here.items(), there, ("GFLOP/s", "GB/s", "GB/s"), strict=True
        )
        if mine
    ]
    notes = [f"{to}: {yardstick.source}."]
    notes += [f"{where}: {peaks(where).source}."] if where.simulated else []
    return RelativeTable(f"{where} relative to {to}", rows, notes, simulated=where.simulated)

"""The cards of the datasheets and what it costs to rent them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpukit._names.suggest import near
from gpukit.bench._peaks import card_row, table_names
from gpukit.cloud.offers import offers
from gpukit.cloud.tables import price_text
from gpukit.report import Column, Table

_ARCHITECTURES = {
    "3": "Kepler",
    "5": "Maxwell",
    "6": "Pascal",
    "7.0": "Volta",
    "7.5": "Turing",
    "8": "Ampere",
    "8.9": "Ada",
    "9": "Hopper",
    "10": "Blackwell",
    "12": "Blackwell",
}
_MIN_SUPPORTED = (6, 0)


def _rounded(value: float) -> str:
    return f"{value:.3g}"


def _milli(value: float) -> str:
    return f"{value / 1e3:.1f}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


_COLUMNS: Sequence[Column] = (
    Column("card", "card"),
    Column("architecture", "architecture"),
    Column("capability", "capability", numeric=True),
    Column("memory_gb", "GB", numeric=True),
    Column("fp32_gflops", "FP32 TFLOP/s", _milli, numeric=True),
    Column("fp16_gflops", "FP16 tensor", _milli, numeric=True),
    Column("bandwidth_gbps", "GB/s", _whole, numeric=True),
    Column("rent", "rent/h from", price_text, numeric=True),
    Column("gflops_per_price", "GFLOP/s per $/h", _whole, numeric=True),
    Column("gpukit", "gpukit"),
)
_SORTS = {
    "name": "card",
    "memory": "memory_gb",
    "fp32": "fp32_gflops",
    "fp16": "fp16_gflops",
    "bandwidth": "bandwidth_gbps",
    "rent": "rent",
    "gflops_per_price": "gflops_per_price",
    "gflops_per_gb": "gflops_per_gb",
    "capability": "capability",
}


@functools.cache
def _memory() -> dict[str, Any]:
    text = Path(__file__).with_name("cards.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def memory_gb() -> dict[str, float]:
    """GB of memory of each card that is known."""
    found: dict[str, float] = _memory()["memory_gb"]
    return found


def _architecture(capability: str) -> str | None:
    return _ARCHITECTURES.get(capability) or _ARCHITECTURES.get(capability.partition(".")[0])


def _numbers(capability: str) -> tuple[int, ...]:
    return tuple(map(int, capability.split(".")))


def _cheapest(price: Mapping[str, float] | None) -> dict[str, float]:
    """The lowest price of one GPU an hour, by card; free offers have no price."""
    found: dict[str, float] = {}
    for each in offers(price):
        if each.card is not None and each.offered and each.per_gpu:
            found[each.card] = min(found.get(each.card, each.per_gpu), each.per_gpu)
    return found


def _row(name: str, rents: Mapping[str, float]) -> dict[str, Any]:
    listed = card_row(name)
    assert listed is not None  # the name is from that table
    capability, fp32 = str(listed["capability"]), 1e3 * listed["fp32"]
    memory, rent = _memory()["memory_gb"].get(name), rents.get(name)
    return {
        "card": name,
        "architecture": _architecture(capability),
        "capability": capability,
        "memory_gb": memory,
        "fp32_gflops": fp32,
        "fp16_gflops": None if listed["fp16"] is None else 1e3 * listed["fp16"],
        "bandwidth_gbps": float(listed["bandwidth"]),
        "rent": rent,
        "gflops_per_price": fp32 / rent if rent else None,
        "gflops_per_gb": fp32 / memory if memory else None,
        "gpukit": "yes" if _numbers(capability) >= _MIN_SUPPORTED else "no",
    }


def _order(row: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    """Largest first, unknown last; names and rents from the smallest."""
    value = row[key]
    if value is None:
        return (1,)
    if key == "card":
        return (0, value.lower())
    if key == "capability":
        return (0, [-part for part in _numbers(value)], row["card"])
    return (0, value if key == "rent" else -value, row["card"])


def cards(
    sort: str | None = None, gpu: str | None = None, *, price: Mapping[str, float] | None = None
) -> Table:
    """Return what the datasheets say of each card, and what an hour of it costs.

    Args:
        sort: "name", "memory", "fp32", "fp16", "bandwidth", "rent", "capability",
            "gflops_per_price" or "gflops_per_gb"; default the newest capability first.
        gpu: only cards whose name has these words.
        price: prices of your own, USD an hour by the name of the offer.

    Raises:
        ValueError: an unknown `sort`, or an unknown `gpu`; the message suggests the nearest names.

    Example:
        >>> import gpukit
        >>> [row["memory_gb"] for row in gpukit.cloud.cards(gpu="T4").rows]
        [16]
    """
    if sort is not None and sort not in _SORTS:
        meant = near(str(sort), list(_SORTS))
        hint = f"Did you mean {meant!r}?" if meant else f"Use one of {', '.join(_SORTS)}."
        raise ValueError(f"cards: sort is {sort!r}. {hint}")
    rents = _cheapest(price)
    rows = [_row(name, rents) for name in table_names() if gpu is None or _has(name, gpu)]
    if not rows:
        meant = near(str(gpu), table_names())
        hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(table_names())}."
        raise ValueError(f"cards: there is no card {gpu!r}. {hint}")
    rows.sort(key=lambda row: _order(row, _SORTS[sort or "capability"]))
    notes = [
        f"Peaks without sparsity, as of {_memory()['as_of']}; rent is the lowest recorded price of "
        "one GPU, without free offers. Check before buying."
    ]
    return Table("Cards", _COLUMNS, rows, notes)


def _has(name: str, words: str) -> bool:
    return set(str(words).lower().split()) <= set(name.lower().replace("-", " ").split())


def relative(to: str = "P100", *, price: Mapping[str, float] | None = None) -> Table:
    """Return every card as a multiple of one, by float32 products and by bandwidth.

    One number would mislead: a T4 has 0.87 of a P100's products and 0.44 of its bandwidth.

    Args:
        to: the card that is 1.
        price: prices of your own, USD an hour by the name of the offer.

    Example:
        >>> import gpukit
        >>> row = gpukit.cloud.relative("P100").rows[0]
        >>> sorted(row)[:3]
        ['bandwidth', 'bandwidth_per_price', 'card']
    """
    base = cards(gpu=to).rows
    yardstick = next((row for row in base if row["card"].lower() == str(to).lower()), base[0])
    rows = [_multiples(row, yardstick) for row in cards(price=price).rows]
    rows.sort(key=lambda row: row["fp32"])
    columns = (
        Column("card", "card"),
        Column("fp32", "FP32", _times, numeric=True),
        Column("bandwidth", "bandwidth", _times, numeric=True),
        Column("rent", "rent/h from", price_text, numeric=True),
        Column("fp32_per_price", "FP32 per $/h", _rounded, numeric=True),
        Column("bandwidth_per_price", "bandwidth per $/h", _rounded, numeric=True),
    )
    notes = [
        f"{yardstick['card']} = 1; by datasheets ({_memory()['as_of']}), float32 without tensor "
        "cores. Real workloads are between the two columns."
    ]
    return Table(f"Cards relative to {yardstick['card']}", columns, rows, notes)


def _times(value: float) -> str:
    return f"{value:.2f} x"


def _multiples(row: Mapping[str, Any], yardstick: Mapping[str, Any]) -> dict[str, Any]:
    fp32 = row["fp32_gflops"] / yardstick["fp32_gflops"]
    bandwidth = row["bandwidth_gbps"] / yardstick["bandwidth_gbps"]
    rent = row["rent"]
    return {
        "card": row["card"],
        "fp32": fp32,
        "bandwidth": bandwidth,
        "rent": rent,
        "fp32_per_price": fp32 / rent if rent else None,
        "bandwidth_per_price": bandwidth / rent if rent else None,
    }

"""How long measured work would take on rented cards, and when buying is cheaper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gpukit._language import shown
from gpukit._system.session_limits import limit_of_offer
from gpukit.bench._peaks import table_peaks
from gpukit.bench.result import BenchResult, BenchTable
from gpukit.cloud.offers import (
    STALE_AFTER_DAYS,
    Offer,
    checked_number,
    checked_price,
    document,
    offer,
    offers,
)
from gpukit.cloud.tables import CHECK, money_text, offer_row
from gpukit.errors import BenchError, SimulationError
from gpukit.report import Column, Table

# Real work reaches different shares of two cards' peaks; a factor either way covers most of it.
_SPREAD = 1.3


def _fastest(table: BenchTable) -> BenchResult:
    """The result of the fastest GPU, of a table of one function."""
    if len({result.name for result in table.results}) > 1:
        raise ValueError("estimate: the table has several functions; choose one of its .results")
    timed = [result for result in table.results if result.median is not None]
    gpus = [result for result in timed if result.device_name != "cpu"]
    if not gpus:
        raise BenchError(f"estimate: the table {table.title} has no time of a GPU")
    return min(gpus, key=lambda result: float(result.median or 0))


def estimate(
    result: Any,
    *,
    units: float | None = None,
    epochs: float | None = None,
    price: Mapping[str, float] | None = None,
    max_age_days: float = STALE_AFTER_DAYS,
) -> Table:
    """Return hours and cost of measured work on each offer, as a range.

    The time scales with what limits the measured function: by the cards' float32 peaks where
    products do, by their bandwidth where memory does, by their links where copies do, between
    products and bandwidth where it is not known. Where launches limit it, a faster card does not
    help. Free notebooks end: `sessions_low` to `sessions_high` says after how many the work is
    done, and `weeks_high` how long their quota makes it last.

    Args:
        result: what bench returned: a BenchResult measured on a GPU of `cloud.cards()`, or a table
            of one function, of which the fastest GPU counts.
        units: calls of the function in one epoch; default 1.
        epochs: how many epochs; default 1.
        price: prices of your own, USD an hour by the name of the offer.
        max_age_days: older prices are marked as stale, and named below the table.

    Raises:
        SimulationError: the result is simulated. BenchError: it has no time, or its device is not
            in the table.

    Example:
        >>> import gpukit
        >>> from gpukit.bench import BenchResult
        >>> step = BenchResult("step", "Tesla T4", median=0.1, bound="compute")
        >>> rows = gpukit.cloud.estimate(step, units=36_000).rows
        >>> next(round(row["hours_low"], 2) for row in rows if row["name"] == "colab-free")
        1.0
    """
    if isinstance(result, BenchTable):
        result = _fastest(result)
    if not isinstance(result, BenchResult):
        kind = type(result).__name__
        raise TypeError(f"estimate: result must be a BenchResult or a BenchTable, got {kind}")
    if result.simulated:
        raise SimulationError("estimate: the result is simulated; only measured times say anything")
    if result.median is None:
        raise BenchError(f"estimate: {result.name} has no time: {result.error}")
    count = 1.0 if units is None else checked_number("estimate", "units", units)
    count *= 1.0 if epochs is None else checked_number("estimate", "epochs", epochs)
    hours = result.median * count / 3600
    age = checked_number("estimate", "max_age_days", max_age_days)
    rows = [row for each in offers(price) if (row := _row(each, hours, result, age)) is not None]
    rows.sort(key=lambda row: (row["cost_high"] is None, row["cost_high"], row["hours_high"]))
    notes = [
        CHECK.format(as_of=document()["as_of"]),
        f"From {result.median:.3g} s a call on {result.card}, limited by "
        f"{result.bound or 'something unknown'}; one GPU of each offer, by datasheets.",
    ]
    return Table("What it would take", _COLUMNS, rows, [*notes, *_warnings(rows, age)])


def _warnings(rows: list[dict[str, Any]], max_age_days: float) -> list[str]:
    """What the reader of these rows must know: old prices, and sessions that end."""
    old = [row["name"] for row in rows if row["stale"]]
    found = []
    if old:
        names = f"{', '.join(old[:3])} and {len(old) - 3} more" if len(old) > 3 else ", ".join(old)
        found.append(f"stale: prices seen more than {max_age_days:g} days ago: {names}.")
    several = [row for row in rows if (row["sessions_high"] or 1) > 1]
    for row in several:
        limit = limit_of_offer(row["name"])
        assert limit is not None  # it gave the sessions
        quota = ""
        if limit.hours_a_week:
            weeks = f", so {row['weeks_high']} weeks at most" if row["weeks_high"] > 1 else ""
            quota = f", {limit.hours_a_week:g} h a week{weeks}"
        found.append(
            f"{row['name']}: {limit.hours:g} h a session{quota} (as of {limit.as_of}); "
            "gpukit.monitor.session(file, state) saves and goes on."
        )
    return found


def _range_text(value: float) -> str:
    return f"{value:.3g}"


_COLUMNS = (
    Column("name", "name"),
    Column("gpu", "GPU"),
    Column("hours_low", "hours from", _range_text, numeric=True),
    Column("hours_high", "to", _range_text, numeric=True),
    Column("sessions", "sessions"),
    Column("cost_low", "cost from", money_text, numeric=True),
    Column("cost_high", "to", money_text, numeric=True),
    Column("seen", "as of"),
)


def _row(
    each: Offer, hours: float, result: BenchResult, max_age_days: float
) -> dict[str, Any] | None:
    if each.card is None or not each.offered:
        return None
    slow, fast = speed_range(result.card, each.card, result.bound)
    low, high = hours / fast, hours / slow
    price = each.price
    return {
        **offer_row(each, None, max_age_days),
        **_sessions(each, low, high),
        "hours_low": low,
        "hours_high": high,
        "cost_low": None if price is None else low * price,
        "cost_high": None if price is None else high * price,
    }


def _sessions(each: Offer, low: float, high: float) -> dict[str, Any]:
    """How many sessions the hours are, and at most how many weeks of quota."""
    limit = limit_of_offer(each.name)
    if limit is None:
        return dict.fromkeys(("sessions", "sessions_low", "sessions_high", "weeks_high"))
    least, most = (max(1, math.ceil(hours / limit.hours)) for hours in (low, high))
    quota = limit.hours_a_week
    return {
        "sessions": str(most) if least == most else f"{least} to {most}",
        "sessions_low": least,
        "sessions_high": most,
        "weeks_high": math.ceil(high / quota) if quota else None,
    }


def speed_range(here: str, there: str, bound: str | None) -> tuple[float, float]:
    """How many times as fast the other card is: at least, at most.

    The same card is exactly as fast as itself.
    """
    mine, other = table_peaks(here), table_peaks(there)
    if mine is None or other is None:
        raise BenchError(
            f"estimate: {here if mine is None else there!r} is not in gpukit.cloud.cards(), so its "
            "speed cannot be scaled. Measure on a GPU that is"
        )
    if mine.source == other.source:
        return 1.0, 1.0
    products = (other.fp32 or 0) / (mine.fp32 or 1)
    memory = (other.bandwidth or 0) / (mine.bandwidth or 1)
    if bound == "launch":
        return 1 / _SPREAD, _SPREAD
    if bound == "copy":
        link = other.link / mine.link if other.link and mine.link else 1.0
        return min(link, 1.0) / _SPREAD, max(link, 1.0) * _SPREAD
    if bound == "compute":
        return products / _SPREAD, products * _SPREAD
    if bound == "memory":
        return memory / _SPREAD, memory * _SPREAD
    return min(products, memory) / _SPREAD, max(products, memory) * _SPREAD


class Weeks(float):
    """A number of weeks, which says so when it is shown.

    Example:
        >>> from gpukit.cloud.estimation import Weeks
        >>> Weeks(2.5), Weeks(2.5) * 2
        (2.5 weeks, 5.0)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if self == float("inf"):
            return shown("never (inf weeks)")
        weeks = f"{float(self):.4g}"
        return shown("1 week" if weeks == "1" else f"{weeks} weeks")

    __str__ = __repr__


def breakeven(price: float, hours_per_week: float, offer_or_price: str | float) -> Weeks:
    """Return after how many weeks a card of your own is cheaper than renting.

    Electricity, the rest of the computer and resale are not counted.

    Args:
        price: USD for the card.
        hours_per_week: how long it would run.
        offer_or_price: the name of an offer, or USD an hour.

    Returns:
        Weeks, a float; infinity when renting costs nothing.

    Raises:
        ValueError: the offer has no known price, or a number is negative.

    Example:
        >>> import gpukit
        >>> gpukit.cloud.breakeven(600, 20, 0.30)
        100 weeks
    """
    cost = checked_price("breakeven", price)
    hours = checked_number("breakeven", "hours_per_week", hours_per_week)
    if isinstance(offer_or_price, str):
        rented = offer(offer_or_price).price
        if rented is None:
            raise ValueError(
                f"breakeven: no price of {offer_or_price!r} is known; give USD an hour instead"
            )
    else:
        rented = checked_price("breakeven", offer_or_price)
    weekly = hours * rented
    return Weeks(cost / weekly if weekly else "inf")

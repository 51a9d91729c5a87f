"""The tables of gpukit.cloud: what can be rented, and what fits a need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gpukit._arguments import int_from
from gpukit.cloud.offers import STALE_AFTER_DAYS, Offer, checked_number, document, offers
from gpukit.report import Column, Table

CHECK = "Prices as of {as_of}; check before buying."


def price_text(value: float) -> str:
    """USD an hour."""
    return "free" if value == 0 else f"${value:.2f}"


def money_text(value: float) -> str:
    """USD."""
    return f"${value:,.2f}"


def _memory_text(row: Mapping[str, Any]) -> str | None:
    if row["memory_gb"] is None:
        return None
    count = row["gpus"]
    return f"{count} x {row['memory_gb']} GB" if count > 1 else f"{row['memory_gb']} GB"


def _gpu_text(each: Offer) -> str | None:
    if each.card is None:
        return None
    return f"{each.gpus} x {each.card}" if each.gpus > 1 else each.card


def offer_row(
    each: Offer, today: date | None = None, max_age_days: float = STALE_AFTER_DAYS
) -> dict[str, Any]:
    """The record as a row of a table."""
    row: dict[str, Any] = {
        "name": each.name,
        "offer": each.title,
        "gpu": _gpu_text(each),
        "gpus": each.gpus,
        "memory_gb": each.memory_gb,
        "price": each.price,
        "per_gpu": each.per_gpu,
        "price_kind": each.price_kind if each.offered else each.status,
        "as_of": each.as_of,
        "stale": each.is_stale(today, max_age_days),
        "status": each.status,
        "use": each.use,
        "source": each.source,
        "tutorial_value": dict(each.tutorial_value) if each.tutorial_value else None,
        "warnings": list(each.warnings),
    }
    row["memory"] = _memory_text(row)
    tutorial = each.tutorial_value or {}
    row["tutorial_price"] = tutorial.get("price")
    row["tutorial_multiple"] = tutorial.get("multiple")
    row["seen"] = f"{each.as_of} (stale)" if row["stale"] else each.as_of
    return row


COLUMNS: Sequence[Column] = (
    Column("name", "name"),
    Column("gpu", "GPU"),
    Column("memory", "memory", numeric=True),
    Column("tutorial_multiple", "tutorial: x P100", numeric=True),
    Column("tutorial_price", "$/h", price_text, numeric=True),
    Column("price", "now: $/h", price_text, numeric=True),
    Column("per_gpu", "per GPU", price_text, numeric=True),
    Column("price_kind", "kind"),
    Column("seen", "as of"),
    Column("use", "use"),
)


def table(
    free_only: bool = False,
    *,
    price: Mapping[str, float] | None = None,
    today: date | None = None,
) -> Table:
    """Return what can be rented: the tutorials' values and today's, each dated.

    Args:
        free_only: only what costs nothing.
        price: prices of your own, USD an hour by the name of the offer.
        today: the day from which a price's age is counted; default today.

    Example:
        >>> import gpukit
        >>> gpukit.cloud(free_only=True).rows[0]["name"]
        'colab-free'
    """
    if not isinstance(free_only, bool):
        raise TypeError(f"cloud: free_only must be True or False, got {free_only!r}")
    shown = [each for each in offers(price) if not free_only or each.price == 0]
    notes = [CHECK.format(as_of=document()["as_of"])]
    notes.append(
        "The tutorial's two columns are what tutorial 000 says; now was seen on the day beside it, "
        "a dash is not known. USD an hour for all GPUs of an offer."
    )
    if any(each.is_stale(today) for each in shown):
        notes.append("stale: seen more than 180 days ago.")
    notes += [f"{each.name}: {text}" for each in shown if free_only for text in each.warnings]
    return Table("GPUs to rent", COLUMNS, [offer_row(each, today) for each in shown], notes)


def recommend(
    need_gb: float | None = None,
    hours: float | None = None,
    budget: float | None = None,
    gpus: int = 1,
    *,
    price: Mapping[str, float] | None = None,
) -> Table:
    """Return the offers that fit, the cheapest first.

    Memory is that of one GPU: eight cards of 40 GB do not fit a model of 60 GB that is not split.

    Args:
        need_gb: gigabytes that one GPU must have.
        hours: how long it is needed; the cost is then for all of them.
        budget: USD that it may cost, for `hours`, or an hour when they are not given. 0: free.
        gpus: how many GPUs at least.
        price: prices of your own, USD an hour by the name of the offer.

    Raises:
        ValueError, TypeError: a number is negative or none.

    Example:
        >>> import gpukit
        >>> {row["price"] for row in gpukit.cloud.recommend(budget=0).rows}
        {0}
    """
    need = 0.0 if need_gb is None else checked_number("recommend", "need_gb", need_gb)
    length = 1.0 if hours is None else checked_number("recommend", "hours", hours)
    most = None if budget is None else checked_number("recommend", "budget", budget)
    gpus = int_from("recommend", "gpus", gpus, 1)
    fitting = [each for each in offers(price) if _fits(each, need, gpus)]
    rows = [
        {**offer_row(each), "cost": each.price * length}
        for each in fitting
        if each.price is not None and (most is None or each.price * length <= most)
    ]
    rows.sort(key=lambda row: (row["cost"], row["stale"], row["name"]))
    return Table(
        "GPUs that fit", _cost_columns(hours), rows, _advice(fitting, rows, need, hours, gpus)
    )


def _fits(each: Offer, need: float, gpus: int) -> bool:
    known = each.memory_gb is not None or need == 0
    return each.offered and known and (each.memory_gb or 0) >= need and each.gpus >= gpus


def _cost_columns(hours: float | None) -> Sequence[Column]:
    title = "cost/h" if hours is None else f"cost of {hours:g} h"
    cost = Column("cost", title, money_text, numeric=True)
    kept = [each for each in COLUMNS if not each.key.startswith("tutorial")]
    return (*kept[:3], cost, *kept[3:])


def _advice(
    fitting: list[Offer], rows: list[dict[str, Any]], need: float, hours: float | None, gpus: int
) -> list[str]:
    notes = [CHECK.format(as_of=document()["as_of"])]
    if not rows:
        notes.append("Nothing recorded fits.")
    if need and any(row["gpus"] > 1 for row in rows):
        notes.append("Memory is that of one GPU; several add up only for work that is split.")
    unknown = [each.name for each in fitting if each.price is None]
    if unknown:
        notes.append(f"Without a known price, so not listed: {', '.join(unknown)}.")
    if hours is not None and any(row["price"] == 0 for row in rows):
        notes.append("Free offers have limits: Kaggle about 30 GPU hours a week, 12 a session.")
    if gpus > 1:
        notes.append("Practise with several devices at no cost: gpukit.simulate(2).")
    return notes

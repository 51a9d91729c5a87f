"""The dated records of `cloud.json`: what can be rented, for how much, and who said so when."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from gpukit._arguments import number_of
from gpukit._names.suggest import near

STALE_AFTER_DAYS = 180


@dataclass(frozen=True)
class Offer:
    """One thing to rent. Prices are USD an hour for all its GPUs; None means unknown.

    Attributes:
        name: what the functions of gpukit.cloud call it.
        card: the GPU's name in `cloud.cards()`; None where the provider decides.
        gpus, memory_gb: how many, and the memory of ONE of them.
        status: "offered" or "retired".
        use: what it is good for, in the words of the tutorials where they say it.
        price, price_kind: "free", "on-demand", "marketplace", "credits", or "yours".
        as_of, source: when the price was seen, and where.
        tutorial_value: the value of the tutorials' table, unchanged.
        warnings: what a reader of the table should know.

    Example:
        >>> import gpukit
        >>> offer = gpukit.cloud.offer("colab-free")
        >>> offer.gpus, offer.price
        (1, 0)
    """

    name: str
    title: str
    provider: str
    steps: str
    card: str | None
    gpus: int
    memory_gb: int | None
    status: str
    use: str | None
    price: float | None
    price_kind: str
    as_of: str | None
    source: str
    tutorial_value: Mapping[str, Any] | None
    warnings: tuple[str, ...]

    @property
    def per_gpu(self) -> float | None:
        """USD an hour for one of its GPUs."""
        return None if self.price is None else self.price / self.gpus

    @property
    def offered(self) -> bool:
        """False for what was retired."""
        return self.status == "offered"

    def is_stale(self, today: date | None = None, max_age_days: float = STALE_AFTER_DAYS) -> bool:
        """True when the price was seen longer ago."""
        if self.price_kind == "yours" or self.as_of is None:
            return False
        age = (today or date.today()) - first_day(self.as_of)
        return age.days > max_age_days


def first_day(text: str) -> date:
    """The first day of a date such as '2026', '2026-03' or '2026-03-09'."""
    year, month, day = (*map(int, text.split("-")), 1, 1)[:3]
    return date(year, month, day)


@functools.cache
def document() -> dict[str, Any]:
    """The contents of cloud.json."""
    text = Path(__file__).with_name("cloud.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@functools.cache
def _recorded() -> tuple[Offer, ...]:
    offers = []
    for record in document()["offers"]:
        fields = {key: value for key, value in record.items() if key != "current"}
        fields["warnings"] = tuple(fields["warnings"])
        offers.append(Offer(**fields, **record["current"]))
    return tuple(offers)


def offers(price: Mapping[str, float] | None = None) -> list[Offer]:
    """Every record, with prices of your own in place of the recorded ones.

    Args:
        price: USD an hour by the name of the offer.

    Raises:
        ValueError: a name that is not recorded, or a price below 0. TypeError: no mapping.
    """
    if price is None:
        return list(_recorded())
    if not isinstance(price, Mapping):
        raise TypeError(f"cloud: price must be a dict such as {{'colab-free': 0}}, got {price!r}")
    own = {offer(name).name: checked_price("cloud", value) for name, value in price.items()}
    return [
        replace(each, price=own[each.name], price_kind="yours", as_of=None, source="your price")
        if each.name in own
        else each
        for each in _recorded()
    ]


def offer(name: str) -> Offer:
    """Return the record of a name.

    Raises:
        ValueError: an unknown name; the message suggests the nearest one.

    Example:
        >>> import gpukit
        >>> gpukit.cloud.offer("aws-p5.48xlarge").gpus
        8
    """
    for each in _recorded():
        if each.name == name:
            return each
    names = [each.name for each in _recorded()]
    meant = near(str(name), names)
    hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(names)}."
    raise ValueError(f"cloud: there is no offer {name!r}. {hint}")


def checked_price(function: str, value: Any) -> float:
    """A price in USD, 0 or more."""
    return checked_number(function, "price", value)


def checked_number(function: str, name: str, value: Any) -> float:
    """A finite number, 0 or more."""
    number = float(number_of(function, name, value))
    if not 0 <= number < float("inf"):
        raise ValueError(f"{function}: {name} must be 0 or more, got {value!r}")
    return number

"""GPUs to rent or to buy: dated tables and plain arithmetic. Nothing here uses the network.

`gpukit.cloud()` is `gpukit.cloud.table()`.

Example:
    >>> import gpukit
    >>> gpukit.cloud.breakeven(1600, 10, "vast-h100") > 50
    True
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from gpukit.cloud.card_table import cards, relative
from gpukit.cloud.estimation import breakeven, estimate
from gpukit.cloud.guidance import advice, steps
from gpukit.cloud.offers import Offer, offer
from gpukit.cloud.tables import recommend, table
from gpukit.report import Table

__all__ = [
    "Offer",
    "advice",
    "breakeven",
    "cards",
    "estimate",
    "offer",
    "recommend",
    "relative",
    "steps",
    "table",
]


class _CallableCloud(ModuleType):
    """`gpukit.cloud(…)` is `gpukit.cloud.table(…)`."""

    __signature__ = inspect.signature(table)

    def __call__(self, *args: Any, **kwargs: Any) -> Table:
        return table(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        from gpukit._names.suggest import no_attribute

        no_attribute(__name__, name)


sys.modules[__name__].__class__ = _CallableCloud

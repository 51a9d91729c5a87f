"""What a documented difference is made of: its words, their page, and where it applies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arguments import Call
from .comparison import Difference

Applies = Callable[[Call, Difference, str], bool]
LIMITS = "docs/limits.md"
TENSORS = "docs/tensors.md"


@dataclass(frozen=True)
class Documented:
    """One difference: `applies` looks at the call, at what was found and at the device."""

    name: str
    words: str  # of the page, which says it to users
    page: str
    applies: Applies


def accepts(pattern: str, rows: str = "") -> Applies:
    """The peer's error has these words: it refuses what gpukit takes (or refuses for another reason)."""
    words, names = re.compile(pattern), re.compile(rows)
    return lambda call, found, device: bool(
        "error" in found.what
        and device == "cpu"
        and words.search(found.theirs)
        and names.search(call.row)
    )


def refuses(pattern: str, rows: str = "", theirs: str = "") -> Applies:
    """gpukit's error has these words; the peer returns a result, or raises another error."""
    words, names, other = re.compile(pattern), re.compile(rows), re.compile(theirs)
    return lambda call, found, _: bool(
        "error" in found.what
        and words.search(found.mine)
        and names.search(call.row)
        and other.search(found.theirs)
    )


def last(call: Call) -> str:
    """The row's name without form and modules."""
    return call.row.rpartition(" ")[2].rpartition(".")[2]


def seen(names: str, what: str = "", mine: str = "", theirs: str = "", when: Any = None) -> Applies:
    """Rows of these names (all, if none), where the difference is of this kind."""
    every = set(names.split())
    return lambda call, found, _: bool(
        (not every or last(call) in every)
        and re.search(what, found.what)
        and re.search(mine, found.mine)
        and re.search(theirs, found.theirs)
        and (when is None or when(call))
    )

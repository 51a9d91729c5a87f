"""Numbers with their nouns."""

from __future__ import annotations


def count_of(number: int, noun: str) -> str:
    """``1 issue``, ``2 issues``: a number with its noun, in the plural where it is not 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {_plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"

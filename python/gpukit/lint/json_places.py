"""Where values stand in a JSON text, so that one of them can be changed and all else stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_LETTER = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)


def begin(text: str, at: int) -> int:
    """The place of the first value at or behind a place."""
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Where the values of a list begin and end; the list begins at `at`."""
    at = begin(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        yield at, end
        at = _next(text, end)


def member(text: str, at: int, name: str) -> int:
    """Where an object's value of that name begins, or -1; of several the last, as json takes it."""
    found = -1
    at = begin(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = begin(text, begin(text, end) + 1)  # behind the colon
        if key == name:
            found = value
        at = _next(text, _DECODER.raw_decode(text, value)[1])
    return found


def _next(text: str, end: int) -> int:
    """What follows a value: the next one, or the bracket that ends them."""
    at = begin(text, end)
    return begin(text, at + 1) if text[at] == "," else at


def strings(text: str, at: int) -> list[tuple[int, int]]:
    """Where a string, or each string of a list, begins and ends, with its quotes."""
    if text[at] == "[":
        return list(elements(text, at))
    return [(at, _DECODER.raw_decode(text, at)[1])]


def letters(text: str, start: int, end: int) -> list[int]:
    """Where each letter of a string begins, and where the last one ends: escapes are letters."""
    return [*(found.start() for found in _LETTER.finditer(text, start + 1, end - 1)), end - 1]

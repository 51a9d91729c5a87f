"""Positions of values in a JSON text, so that one value can be replaced and the rest kept."""

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
    """The position of the first value at or after a position."""
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end of each value of the list that starts at `at`."""
    at = begin(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        yield at, end
        at = _next(text, end)


def member(text: str, at: int, name: str) -> int:
    """Where an object's member of that name starts, or -1; the last of several, as json does."""
    found = -1
    at = begin(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = begin(text, begin(text, end) + 1)  # after the colon
        if key == name:
            found = value
        at = _next(text, _DECODER.raw_decode(text, value)[1])
    return found


def _next(text: str, end: int) -> int:
    """What follows a value: the next one, or the closing bracket."""
    at = begin(text, end)
    return begin(text, at + 1) if text[at] == "," else at


def strings(text: str, at: int) -> list[tuple[int, int]]:
    """Start and end of a string, or of each string of a list, with its quotes."""
    if text[at] == "[":
        return list(elements(text, at))
    return [(at, _DECODER.raw_decode(text, at)[1])]


def letters(text: str, start: int, end: int) -> list[int]:
    """Start of each character of a string, and the end; an escape is one character."""
    return [*(found.start() for found in _LETTER.finditer(text, start + 1, end - 1)), end - 1]

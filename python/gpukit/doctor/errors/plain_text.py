"""A pasted text as one plain line: no colours, quote marks, wrapping or escapes of JSON."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from gpukit.report.text import printable, without_escapes

# The decisive lines of a log are its first and its last ones.
LONGEST = 1 << 17
_QUOTE = 100

_JSON = (
    ("\\n", "\n"),
    ("\\r", "\n"),
    ("\\t", " "),
    ('\\"', '"'),
    ("\\'", "'"),
    ("\\u001b", "\x1b"),
)
# Quote marks and boxes at a line's start and end, a rank's or a container's name before it.
_BEFORE = re.compile(r"[\s>|│┃║╎]+")
_AFTER = " \t|│┃║╎"
_NAMED = re.compile(r"\[rank\d+\]:\s?|[\w.-]{1,60}\s{1,40}\|\s")
_INVISIBLE = (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF, 0xAD)
_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94)}
_TYPOGRAPHY = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x3002: ".", 0xA0: " "}
_CLEAN = {**dict.fromkeys(_INVISIBLE), **_FULL_WIDTH, **_TYPOGRAPHY}
# Only ASCII: other letters can change their length, and places must stay places.
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def shortened(text: str) -> str:
    """The text, or its first and its last part when it is long."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"


def _line(line: str) -> str:
    """A line without what quoting, boxes and other programs put around it."""
    opened = _BEFORE.match(line)
    line = line[opened.end() :] if opened else line
    named = _NAMED.match(line)
    line = line[named.end() :] if named else line
    return " ".join(line.rstrip(_AFTER).split())


@dataclass(frozen=True)
class PlainText:
    """`shown` keeps the letters' case, `lower` is searched; both have the same places."""

    shown: str
    lower: str
    starts: tuple[int, ...]

    def quote(self, start: int, end: int) -> str:
        """The words at a place, short and without control characters."""
        words = printable(self.shown[start:end])
        return words if len(words) <= _QUOTE else f"{words[: _QUOTE - 1]}…"

    def line_at(self, place: int) -> int:
        """The number of the line at a place, from 1."""
        return bisect_right(self.starts, place)


def plain(text: str) -> PlainText:
    """The text that is searched for phrases."""
    text = shortened(text)
    if "{" in text and '"' in text and "\\n" in text:
        for escaped, meant in _JSON:
            text = text.replace(escaped, meant)
    text = without_escapes(text).translate(_CLEAN)
    parts, starts, place = [], [], 0
    for line in text.splitlines():
        part = _line(line)
        starts.append(place)
        if part:
            parts.append(part)
            place += len(part) + 1
    shown = " ".join(parts)
    return PlainText(shown, shown.translate(_LOWER), tuple(starts))


def squeezed(text: PlainText) -> PlainText:
    """Without any blank: finds words that a narrow terminal broke in the middle."""
    shown = text.shown.replace(" ", "")
    return PlainText(shown, shown.translate(_LOWER), (0,))

"""From a message to its translation: which template a text was made from, and its fields."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from gpukit._language import po_file

TYPE_CHECKING = False  # as in _device
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIELD = re.compile(r"\{([a-z_]\w*)\}")
# Where a sentence or a part of one ends.
_END = re.compile(r"(?<=[.;:,?!])[ \t]+|(?<=[。；：，？！])[ \t]*|[ \t]+·[ \t]+")
# What stands before a line: its indent, a list's mark or number.
_HEAD = re.compile(r"\s*(?:#? *\d+\. |[-*#] +)?")
_COMMENT = re.compile(r"(.*  # )(\S.*)")
_BRACKETS = re.compile(r"(.*?) [(（](.*)[)）]([.。]?)")
# What a field can hold: brackets come in pairs. Numbers are numbers.
_VALUE = r"(?:\"[^\"\n]*\"|[^\n()（）]|[(（](?:[^\n()（）]|[(（][^\n()（）]*[)）])*[)）])*?"
_QUOTED = "words"
# A field of names that a program has: they stay as they are, between two marks until the end.
_TYPED, _KEEP, _KEPT_TEXT = "typed", "\ue000{}\ue001", re.compile("\ue000([^\ue001]*)\ue001")
WHOLE_NUMBERS = {"number", "index", "index2", "pid"}
NUMBERS = {"age", "hours", "joules", "mib", "minutes", "seconds", "utilization", "watts", "weeks"}
# English that is left in a field: then the template must be clearly that of the text.
_ENGLISH = re.compile(r"(?<![\w/.'`-])[A-Za-z]?[a-z]+(?:,? [a-z]+)+(?![\w/.=-]\w)")
_NAMED = re.compile(r"（[^）]*）|“[^”]*”")
_WORDS = re.compile(r"(?<![\w/.'`-])[a-z]{3,}(?![\w/(=-]|\.\w)")
_SIGN = re.compile(r"[\u4e00-\u9fff]")
_KEY = re.compile(r"(?<![^\W_])[A-Za-z]{3,}(?![^\W_])")
# Chinese needs no space between its words.
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff）”]) +(?=[\u4e00-\u9fff（])")
_CLEAR = 15
_WIDE_END = "。；：，？！）”"
_SIGNS = str.maketrans({",": "，", ";": "；", ":": "：", "?": "？", "!": "！", ".": "。"})
_DEEPEST = 6
# Longer texts are nobody's message.
_LONGEST = 20_000
_LONGEST_LINE = 1_000
_MOST_PARTS = 12
_KEPT = 5_000


def _has_english(text: str) -> bool:
    """Whether English was left that is no name in brackets or quotes."""
    return bool(_ENGLISH.search(_NAMED.sub("", _KEPT_TEXT.sub("", text))))


def _with_clause(message: str, translation: str) -> list[tuple[str, str]]:
    """The pair, and for what is added after a comma, the clause alone."""
    both = [(message, translation)]
    return [*both, (message[2:], translation[1:])] if message[:2] in {", ", "; "} else both


def _longest_word(parts: list[str]) -> str:
    """The longest English word that no field touches; "" if there is none."""
    found = []
    for place, literal in enumerate(parts[::2]):
        edges = ("0" if place else " ") + literal + ("0" if place < len(parts) // 2 else " ")
        found += _KEY.findall(edges)
    return max(found, key=len, default="")


def _pattern_of(field: str) -> str:
    """What a field of that name can hold."""
    if field in WHOLE_NUMBERS:
        return r"\d+"
    if field in NUMBERS:
        return r"[\d.,]+"
    return r"[^\n]*?" if field == _QUOTED else _VALUE


class _Template:
    """One message with fields, as a pattern."""

    def __init__(self, message: str, translation: str) -> None:
        parts = _FIELD.split(message)
        seen: set[str] = set()
        pattern = []
        for place, part in enumerate(parts):
            if place % 2 == 0:
                pattern.append(re.escape(part))
            elif part in seen:
                pattern.append(f"(?P={part})")
            else:
                seen.add(part)
                pattern.append(f"(?P<{part}>{_pattern_of(part)})")
        self._pattern = re.compile("".join(pattern))
        self.word = _longest_word(parts)
        self._literals = sorted(filter(None, parts[::2]), key=len, reverse=True)
        self.weight = sum(map(len, parts[::2]))
        self.translation = translation
        around = zip(parts[:-2:2], parts[1::2], parts[2::2], strict=True)
        self.quoted = {name for before, name, after in around if before[-1:] == after[:1] == '"'}

    def fields_of(self, text: str) -> dict[str, str] | None:
        """The fields of a text that is this message."""
        for literal in self._literals:
            if literal not in text:
                return None
        match = self._pattern.fullmatch(text)
        return None if match is None else match.groupdict()


class Sentences:
    """Texts in another language, by pairs of templates."""

    def __init__(self, pairs: Iterable[tuple[str, str]], left: re.Pattern[str]) -> None:
        self._left = left
        self._plain: dict[str, str] = {}
        self._fielded: dict[str, list[_Template]] = {}
        for message, translation in (each for pair in pairs for each in _with_clause(*pair)):
            if _FIELD.search(message):
                template = _Template(message, translation)
                self._fielded.setdefault(template.word, []).append(template)
            else:
                self._plain[message] = translation
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The text, of which all that is known is translated."""
        if not text or len(text) > _LONGEST:
            return text
        if len(self._known) > _KEPT:
            self._known.clear()
        return _KEPT_TEXT.sub(r"\1", _SPACE.sub("", self._translated(text, 0)))

    def _translated(self, text: str, depth: int) -> str:
        head = _HEAD.match(text)[0]  # type: ignore[index]
        words = text[len(head) :].rstrip()
        if not words or depth > _DEEPEST:
            return text
        if "\n" in words and words not in self._plain:
            return "\n".join(self._translated(line, depth) for line in text.split("\n"))
        if len(words) > _LONGEST_LINE:
            return text
        command = _COMMENT.fullmatch(text)
        if command is not None:
            return command[1] + self._translated(command[2], depth)
        if words not in self._known:
            self._known[words] = words  # what a part of itself may not look up
            best = self._best(words, depth)
            if best.endswith(".") and best != words and not best.isascii():
                best = f"{best[:-1]}。"
            self._known[words] = best
        return f"{head}{self._known[words]}{text[len(text.rstrip()) :]}"

    def _best(self, text: str, depth: int) -> str:
        """Of the ways to read a text the one that leaves the least of it as it is."""
        if text in self._plain:
            return self._plain[text]
        best, least = text, self._left_in(text)
        for reading in (self._whole(text, depth), self._in_parts(text, depth)):
            for candidate in reading:
                left = self._left_in(candidate)
                if left == 0:
                    return candidate
                if left < least or (left == least and best == text):
                    best, least = candidate, left
        return best

    def _left_in(self, text: str) -> int:
        """How many letters of the other language are left."""
        return sum(map(len, self._left.findall(_KEPT_TEXT.sub("", text))))

    def _whole(self, text: str, depth: int) -> Iterator[str]:
        """What templates make of the text, also without its full stop or with one."""
        yield from self._exact(text, depth)
        for stop in (".", "。"):
            if text.endswith(stop):
                end = "。" if stop == "." else "."
                yield from (found + end for found in self._exact(text[:-1], depth))
            else:
                yield from (
                    found[:-1] for found in self._exact(text + stop, depth) if found[-1:] in ".。"
                )

    def _exact(self, text: str, depth: int) -> Iterator[str]:
        if text in self._plain:
            yield self._plain[text]
            return
        for each in self._candidates(text):
            found = each.fields_of(text)
            if found is not None:
                fields = {
                    name: self._field(_TYPED if name in each.quoted else name, value, depth)
                    for name, value in found.items()
                }
                if each.weight >= _CLEAR or not any(map(_has_english, fields.values())):
                    yield _FIELD.sub(lambda field: fields[field[1]], each.translation)  # noqa: B023

    def _field(self, name: str, value: str, depth: int) -> str:
        return _KEEP.format(value) if name == _TYPED else self._translated(value, depth + 1)

    def _candidates(self, text: str) -> list[_Template]:
        """Templates whose longest word is in the text, those with the most words first."""
        words = {"", *_KEY.findall(text)}
        found = [each for word in words for each in self._fielded.get(word, ())]
        return sorted(found, key=lambda each: (-each.weight, each.translation))

    def _in_parts(self, text: str, depth: int) -> Iterator[str]:
        """Sentence by sentence, the longest known run first."""
        ends = [match for match in _END.finditer(text) if match.end() < len(text)]
        for match in reversed(ends[:_MOST_PARTS]):
            left, right = text[: match.start()], text[match.end() :]
            known = self._first(left, depth)
            if known is not None:
                gap = match.group()
                if known[-1:] in _WIDE_END and gap.isspace():
                    gap = ""
                yield known + gap + self._translated(right, depth)
        outer = _BRACKETS.fullmatch(text)
        if outer:
            around, inside = (self._translated(part, depth + 1) for part in outer.groups()[:2])
            if (around, inside) != outer.groups()[:2]:
                yield f"{around}（{inside}）{outer[3]}"
        if ends:
            first = ends[0].end()
            yield text[:first] + self._translated(text[first:], depth)

    def _first(self, text: str, depth: int) -> str | None:
        """The best reading of a text by one template, also of one before a comma or a colon."""
        if text[-1:] in ",;:，；：":
            for found in self._exact(text[:-1], depth):
                return found + text[-1].translate(_SIGNS)
        found_all = list(self._whole(text, depth))
        return min(found_all, key=self._left_in) if found_all else None


def _entries(language: str) -> list[po_file.Entry]:
    """Messages of the sources, and those of C++ and of exceptions, entered manually."""
    folder = Path(__file__).parent
    files = (folder / f"{language}.po", folder / f"{language}.extra.po")
    found = (entry for file in files for entry in po_file.parse(file.read_text(encoding="utf-8")))
    return [entry for entry in found if entry.translation]  # else it stays English


@lru_cache(maxsize=2)
def into(language: str) -> Sentences:
    """English to a language."""
    pairs = ((each.message, each.translation) for each in _entries(language))
    return Sentences(pairs, _WORDS)


@lru_cache(maxsize=2)
def back_from(language: str) -> Sentences:
    """A language to English: for texts that gpukit itself has shown."""
    pairs = ((each.translation, each.message) for each in _entries(language))
    return Sentences(pairs, _SIGN)

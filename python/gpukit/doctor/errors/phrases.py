"""Phrases of error texts and the causes that they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import TypeAlias

from gpukit.doctor.catalogue import rows
from gpukit.doctor.catalogue.base import CRASH, Advice, Fix, Layer, Row
from gpukit.doctor.errors.literals import needed
from gpukit.doctor.evidence import Evidence

_MODULES = (
    "programs",
    "memory",
    "builds",
    "libraries",
    "compilers",
    "driver",
    "hosts",
    "groups",
    "statuses",
    "installers",
    "building",
    "applications",
    "families",
)


# A blank of a pattern, with its repetition.
_BLANK = re.compile(r" (\?|\{\d+,\d+\})?")


class Surety(IntEnum):
    """How surely a text names a cause. CERTAIN: the text says so itself."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


@dataclass(frozen=True)
class Guess:
    """A cause that a phrase names. `facts` are what else in the text speaks for it."""

    code: str
    surety: Surety
    facts: tuple[str, ...] = ()
    fix: Fix | None = None  # for what the text names; else the cause's own


@dataclass(frozen=True)
class Seen:
    """The input for judging a phrase: its words, the text around it, and the machine."""

    match: re.Match[str]
    text: str
    evidence: Evidence

    def has(self, *words: str) -> bool:
        """True if one of the words is anywhere in the text, which is lower case."""
        return any(word in self.text for word in words)


Judge: TypeAlias = Callable[[Seen], "list[Guess]"]


@dataclass(frozen=True)
class Phrase:
    """A lower-case pattern and the causes it names. A vague one counts only where no other is."""

    pattern: str
    judge: Judge
    vague: bool = False
    compiled: dict[bool, tuple[re.Pattern[str], frozenset[str]]] = field(default_factory=dict)

    def find(self, text: str, squeezed: bool) -> re.Match[str] | None:
        """The first place of the phrase. Its repetitions are bounded, so this takes linear time."""
        if squeezed not in self.compiled:
            source = _BLANK.sub("", self.pattern) if squeezed else self.pattern
            self.compiled[squeezed] = re.compile(source, re.DOTALL), needed(source)
        compiled, words = self.compiled[squeezed]
        if words and not any(word in text for word in words):
            return None
        return compiled.search(text)


_causes: dict[str, Row] = {}
_phrases: list[Phrase] = []


def cause(code: str, title: str, advice: Advice) -> None:
    """Adds a cause that only a text can show: no check of the machine looks for it."""
    _causes[code] = Row(code, Layer.USE, CRASH, title, advice)


def says(pattern: str, *guesses: Guess, judge: Judge | None = None, vague: bool = False) -> None:
    """Adds a phrase. The pattern is lower case, and its repetitions are bounded."""
    _phrases.append(Phrase(pattern, judge or (lambda _: list(guesses)), vague))


def certain(code: str, *facts: str) -> Guess:
    """The text itself says that this is the cause."""
    return Guess(code, Surety.CERTAIN, facts)


def likely(code: str, *facts: str) -> Guess:
    """The usual cause of such a text."""
    return Guess(code, Surety.LIKELY, facts)


def possible(code: str, *facts: str) -> Guess:
    """A cause that such a text can have."""
    return Guess(code, Surety.POSSIBLE, facts)


@cache
def _loaded() -> None:
    for name in _MODULES:
        import_module(f"gpukit.doctor.errors.{name}")


@cache
def causes() -> dict[str, Row]:
    """Every cause by its code: those that only a text shows, and the catalogue's rows."""
    _loaded()
    return {**{row.code: row for row in rows()}, **_causes}


def own_causes() -> list[str]:
    """The codes of the causes that only a text shows."""
    _loaded()
    return list(_causes)


def _lower(pattern: str) -> str:
    """A row's symptom in lower case, but not its escapes (for example backslash S)."""
    return re.sub(r"(?<!\\)[A-Z]", lambda found: found.group().lower(), pattern)


def _of_rows() -> Iterator[Phrase]:
    """A row's symptoms are words that name that row and no other."""
    for row in rows():
        guess = Guess(row.code, Surety.LIKELY if row.likely else Surety.CERTAIN)
        for symptom in row.symptoms:
            yield Phrase(_lower(symptom), lambda _, guess=guess: [guess])  # type: ignore[misc]


@cache
def phrases() -> tuple[Phrase, ...]:
    """All phrases: those with several causes, then the symptoms of rows."""
    _loaded()
    return (*_phrases, *_of_rows())

"""A check: a code, a layer, a severity, the evidence it looks for and the fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from gpukit.doctor.evidence import Evidence

BLOCKER, CRASH, DEGRADED, INFORMATION = "blocker", "crash", "degraded", "information"
YOU, ADMIN, SERVICE = "you", "an administrator (sudo)", "the service that runs this machine"
NOTHING, KERNEL, LOGIN, REBOOT = "nothing", "the notebook's kernel", "your login", "the machine"
RUNTIME, CONTAINER = "the runtime", "the container"


class Layer(IntEnum):
    """Each layer depends on those before it: the first broken one is the verdict."""

    PLACE = 1
    HARDWARE = 2
    DRIVER = 3
    LIBRARY = 4
    DEVICES = 5
    VISIBILITY = 6
    START = 7
    KERNEL = 8
    FRAMEWORK = 9
    USE = 10


@dataclass(frozen=True)
class Fix:
    """A fix: a sentence, commands, who can do it, and what must restart afterwards."""

    text: str
    commands: tuple[str, ...] = ()
    who: str = YOU
    restart: str = NOTHING


Advice: TypeAlias = Fix | Callable[[Evidence], Fix]
Finder: TypeAlias = Callable[[Evidence], list[str]]


def _not_visible(_: Evidence) -> list[str]:
    return []


@dataclass(frozen=True)
class Row:
    """One row of the catalogue. `find` returns the lines that prove it, [] if it does not apply."""

    code: str
    layer: Layer
    severity: str
    title: str
    advice: Advice
    symptoms: tuple[str, ...] = ()
    likely: bool = False  # its facts come from engineering knowledge, not from a page
    fault: bool = True  # False: nothing is broken, e.g. there is no GPU
    find: Finder = _not_visible

    def fix(self, evidence: Evidence) -> Fix:
        """The advice for this machine. Where the driver is the service's, no command fixes it."""
        fix = self.advice if isinstance(self.advice, Fix) else self.advice(evidence)
        if fix.who == ADMIN and evidence.platform.hosted:
            label = evidence.platform.label
            text = f"Only {label} can fix this: start a new runtime; if it stays, tell {label}."
            return Fix(text, (), SERVICE, RUNTIME)
        return fix


_rows: dict[str, Row] = {}


def registered() -> list[Row]:
    """The rows whose modules are imported, in their order."""
    return list(_rows.values())


def known(
    code: str,
    layer: Layer,
    severity: str,
    title: str,
    advice: Advice,
    *,
    symptoms: tuple[str, ...] = (),
    likely: bool = False,
    fault: bool = True,
    find: Finder = _not_visible,
) -> Row:
    """Adds a row that only a pasted text can show, or any other."""
    _rows[code] = Row(code, layer, severity, title, advice, symptoms, likely, fault, find)
    return _rows[code]


def check(
    code: str,
    layer: Layer,
    severity: str,
    title: str,
    advice: Advice,
    *,
    symptoms: tuple[str, ...] = (),
    likely: bool = False,
    fault: bool = True,
) -> Callable[[Finder], Finder]:
    """Adds the decorated function as the check of a row."""

    def add(find: Finder) -> Finder:
        known(
            code,
            layer,
            severity,
            title,
            advice,
            symptoms=symptoms,
            likely=likely,
            fault=fault,
            find=find,
        )
        return find

    return add

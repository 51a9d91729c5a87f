"""One check of the doctor, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpukit.doctor.catalogue.base import BLOCKER, CRASH, NOTHING
from gpukit.report import Section


@dataclass
class Check:
    """One check. `found` says what was found and `evidence` proves it; `command` fixes it.

    Example:
        >>> import gpukit
        >>> check = gpukit.doctor().checks[0]
        >>> check.ok in (True, False), check.id != ""
        (True, True)
    """

    id: str
    ok: bool
    severity: str
    found: str
    remedy: str = ""
    command: str | None = None
    evidence: list[str] = field(default_factory=list)
    who: str = ""
    restart: str = NOTHING
    likely: bool = False
    fault: bool = True


def _label(check: Check) -> str:
    severity = check.severity if check.fault else "no fault"
    return f"{severity}{', likely' if check.likely else ''}: {check.id}"


def _closing(check: Check) -> str:
    """Who can do it, and what must restart."""
    if not check.fault or not check.who:
        return ""
    restart = "" if check.restart == NOTHING else f"; then restart {check.restart}"
    return f" By {check.who}{restart}."


def section_of(check: Check, headline: str) -> Section:
    """A check that found something, as a section of the page."""
    return Section(
        title="Why" if headline.endswith(check.found) else check.found,
        label=_label(check),
        items=check.evidence,
        text=f"To do: {check.remedy}{_closing(check)}",
        code=check.command or "",
        strong=check.fault and check.severity in {BLOCKER, CRASH},
    )

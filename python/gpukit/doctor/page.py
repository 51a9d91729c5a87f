"""A diagnosis as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpukit.doctor.catalogue.base import BLOCKER, CRASH, NOTHING
from gpukit.report import Page, Section, light_texts

if TYPE_CHECKING:
    from gpukit.doctor.diagnosis import Check, Diagnosis


def _label(check: Check) -> str:
    severity = check.severity if check.fault else "no fault"
    return f"{severity}{', likely' if check.likely else ''}: {check.id}"


def _closing(check: Check) -> str:
    """Who can do it, and what must restart."""
    if not check.fault or not check.who:
        return ""
    restart = "" if check.restart == NOTHING else f"; then restart {check.restart}"
    return f" By {check.who}{restart}."


def _section(check: Check, headline: str) -> Section:
    return Section(
        title="Why" if headline.endswith(check.found) else check.found,
        label=_label(check),
        items=check.evidence,
        text=f"To do: {check.remedy}{_closing(check)}",
        code=check.command or "",
        strong=check.fault and check.severity in {BLOCKER, CRASH},
    )


def page_of(diagnosis: Diagnosis) -> Page:
    """Ends with the options of a machine without a GPU, free ones first."""
    made, hits = len(diagnosis.checks), len(diagnosis.problems)
    driver = f", driver {diagnosis.driver}" if diagnosis.driver else ""
    return Page(
        title=diagnosis.headline,
        facts=light_texts(
            diagnosis.lights,
            [device["kernel"] == "" for device in diagnosis.devices],
            simulated=diagnosis.simulated,
        ),
        lead=f"Where: {diagnosis.platform}{driver}. {made} checks, {made - hits} found nothing.",
        sections=[_section(check, diagnosis.headline) for check in diagnosis.problems],
        notes=diagnosis.notes,
        list_title="Where to get a GPU:",
        numbered=diagnosis.options,
    )

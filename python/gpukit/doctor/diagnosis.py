"""From evidence to a verdict: only the first broken layer counts, the rest follows from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gpukit._system import steps
from gpukit.doctor.catalogue import rows
from gpukit.doctor.catalogue.base import BLOCKER, CRASH, DEGRADED, INFORMATION, Layer, Row
from gpukit.doctor.check import Check, section_of
from gpukit.doctor.evidence import Evidence
from gpukit.report import Page, Shown, count_of, light_texts, lights
from gpukit.report.text import printable

READY, USABLE, NOT_READY = "ready", "usable", "not_ready"
# Layers whose rows concern single devices: another working device disproves nothing.
_OF_ONE_DEVICE = {Layer.HARDWARE, Layer.KERNEL}
_ORDER = {BLOCKER: 0, CRASH: 1, DEGRADED: 2, INFORMATION: 3}
# What a machine without a usable GPU can do, for nothing first.
OPTIONS = (
    f"free: Google Colab offers a T4 ({steps.COLAB})",
    f"free: Kaggle offers two T4, about 30 hours a week ({steps.KAGGLE})",
    "free: gpukit.simulate(2) gives two simulated GPUs here and now",
    "paid: gpukit cloud lists GPUs to rent by the hour, each price with its date",
)


@dataclass(repr=False)
class Diagnosis(Shown):
    """What `gpukit.doctor()` found: `checks` are all that were made, `problems` those not ok.

    Example:
        >>> import gpukit
        >>> gpukit.doctor().verdict in ("ready", "usable", "not_ready")
        True
    """

    verdict: str
    headline: str
    checks: list[Check]
    lights: dict[str, bool | None]
    platform: str
    driver: str = ""
    devices: list[dict[str, Any]] = field(default_factory=list)
    simulated: bool = False
    options: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[Check]:
        """The checks that found something, the worst first."""
        return [check for check in self.checks if not check.ok]

    @property
    def exit_code(self) -> int:
        """1 when there is an issue to fix that stops a GPU. A machine without a GPU has none."""
        worst = {c.severity for c in self.problems if c.fault}
        return 1 if self.verdict == NOT_READY or worst & {BLOCKER, CRASH} else 0

    def supports(self, backend: str) -> bool:
        """True when gpukit computes on that kind of device here.

        Example:
            >>> import gpukit
            >>> gpukit.doctor().supports("cpu")
            True
        """
        known = ("cpu", "cuda", "rocm", "mps", "oneapi")
        if backend not in known:
            raise ValueError(f"supports: there is no {backend!r}; known: {', '.join(known)}")
        return backend == "cpu" or (backend == "cuda" and bool(self.lights[lights.KERNEL]))

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, with only the checks that found something."""
        data = asdict(self)
        data["checks"] = [asdict(check) for check in self.problems]
        return {"schema": 1, "exit_code": self.exit_code, **data, "checks_made": len(self.checks)}

    def to_page(self) -> Page:
        """The diagnosis as it is shown; without a GPU, the options follow, free ones first."""
        made, hits = len(self.checks), len(self.problems)
        driver = f", driver {self.driver}" if self.driver else ""
        return Page(
            title=self.headline,
            facts=light_texts(
                self.lights,
                [device["kernel"] == "" for device in self.devices],
                simulated=self.simulated,
            ),
            lead=f"Where: {self.platform}{driver}. {made} checks, {made - hits} found nothing.",
            sections=[section_of(check, self.headline) for check in self.problems],
            notes=self.notes,
            list_title="Where to get a GPU:",
            numbered=self.options,
        )


def lights_of(evidence: Evidence) -> dict[str, bool | None]:
    """One light for each step to a working GPU; None for steps that could not be checked."""
    started = None
    if evidence.cuda is not None:
        started = bool(evidence.cuda.devices) and not evidence.cuda.failure
    loaded = bool(evidence.module or (evidence.platform.wsl == 2 and evidence.driver_files))
    real = bool(evidence.cuda and evidence.cuda.devices) and not evidence.simulated
    return lights.lights_of(
        hardware=bool(evidence.hardware) or real,
        driver=loaded or evidence.simulated or bool(evidence.works),
        nvml=None if evidence.nvml is None else bool(evidence.nvml.gpus),
        start=started,
        kernel=evidence.works if started else (False if started is False else None),
    )


def private(text: str) -> str:
    """The line without the user's home, and with control characters as escapes."""
    home = str(Path.home())
    return printable(text.replace(home, "~") if len(home) > 1 else text)


def _check_of(row: Row, lines: list[str], evidence: Evidence) -> Check:
    if not lines:
        return Check(row.code, True, row.severity, "", likely=row.likely, fault=row.fault)
    fix = row.fix(evidence)
    return Check(
        id=row.code,
        ok=False,
        severity=row.severity,
        found=row.title,
        remedy=fix.text,
        command="\n".join(fix.commands) or None,
        evidence=[private(line) for line in lines],
        who=fix.who,
        restart=fix.restart,
        likely=row.likely,
        fault=row.fault,
    )


def _is_broken(row: Row) -> bool:
    return row.severity in {BLOCKER, CRASH}


def first_broken(found: list[tuple[Row, list[str]]], works: bool) -> Row | None:
    """The row that is the verdict: a fault of the first layer that has one, else what is absent."""
    broken = [row for row, _ in found if _is_broken(row)]
    if works:
        broken = [row for row in broken if row.layer >= Layer.FRAMEWORK]
    faults = [row for row in broken if row.fault]
    return next(iter([*faults, *broken]), None)


def _is_hidden(row: Row, main: Row | None, evidence: Evidence) -> bool:
    """True for consequences of the first broken layer, and for what a kernel that ran disproves.

    One GPU that works does not disprove that another one is lost.
    """
    if not _is_broken(row):
        return False
    if not evidence.works:
        return main is not None and row is not main
    return row.layer < Layer.FRAMEWORK and not (row.fault and row.layer in _OF_ONE_DEVICE)


def _named(devices: list[dict[str, Any]]) -> str:
    return ", ".join(f"cuda:{d['index']} ({d['name']})" for d in devices)


def _headline(evidence: Evidence, main: Row | None, verdict: str, count: int) -> str:
    if verdict == NOT_READY and main:
        return f"Not ready: {main.title}"
    if evidence.cuda is None or not evidence.works:
        return main.title if main else "gpukit computes on the CPU here: no GPU was found."
    proof = f"a kernel ran on {_named(evidence.cuda.working)} and returned the right result"
    if verdict == READY:
        return f"Ready: {proof}."
    failed = f"; it failed on {_named(evidence.cuda.failing)}" if evidence.works_in_part else ""
    return f"Usable: {proof}{failed}. {count_of(count, 'issue')} to fix."


def diagnose(evidence: Evidence) -> Diagnosis:
    """The verdict on some evidence."""
    found: list[tuple[Row, list[str]]] = []
    notes = []
    for row in rows():
        try:
            found.append((row, row.find(evidence)))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # noqa: PERF203
            notes.append(f"The check {row.code} could not be made: {error}")
    hits = [(row, lines) for row, lines in found if lines]
    main = first_broken(hits, evidence.works)
    shown = [(r, [] if _is_hidden(r, main, evidence) else lines) for r, lines in found]
    checks = [_check_of(row, lines, evidence) for row, lines in shown]
    checks.sort(key=lambda c: (c.ok, c.id != (main.code if main else ""), _ORDER[c.severity]))
    to_fix = [c for c in checks if not c.ok and c.fault and c.severity != INFORMATION]
    broken = main is not None and main.fault and not evidence.works
    verdict = NOT_READY if broken else USABLE if to_fix or not evidence.works else READY
    return Diagnosis(
        verdict=verdict,
        headline=_headline(evidence, main, verdict, len(to_fix)),
        checks=checks,
        lights=lights_of(evidence),
        platform=evidence.platform.label,
        driver="" if evidence.simulated else evidence.driver_version,
        devices=list(evidence.cuda.devices) if evidence.cuda else [],
        simulated=evidence.simulated,
        options=[] if evidence.works or broken else list(OPTIONS),
        notes=notes,
    )

"""From a pasted error text to the causes that it and the machine speak for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpukit.doctor.catalogue import rows
from gpukit.doctor.catalogue.base import BLOCKER, CRASH, Fix, Layer, Row
from gpukit.doctor.codes import rows_of_codes
from gpukit.doctor.diagnosis import private
from gpukit.doctor.errors.phrases import Guess, Seen, Surety, causes, phrases
from gpukit.doctor.errors.place import evidence_of
from gpukit.doctor.errors.plain_text import PlainText, plain, squeezed
from gpukit.doctor.evidence import Evidence

_MOST = 4
_WORDS = {Surety.CERTAIN: "", Surety.LIKELY: "likely ", Surety.POSSIBLE: "possible "}
NOT_KNOWN = (
    "not known: No row of the catalogue has these words, so no cause is named. gpukit doctor looks "
    "at the machine itself; its report is what an issue needs.\n"
    "  $ gpukit doctor\n"
    "  $ gpukit doctor --paste -  # for what nvidia-smi prints"
)
# Causes that only say that no GPU responds: the machine's own files may say why.
_BLIND = {"driver-state-unknown", "gpu-not-started", "no-device-shown", "no-driver-found",
          "no-gpu-visible", "nvidia-smi-missing"}  # fmt: skip
_NO_CARD = "This machine has no NVIDIA card: if the text is of it, that is why."


@dataclass(frozen=True)
class Finding:
    """A cause, how surely the text names it, and what speaks for it."""

    row: Row
    surety: Surety
    words: str
    line: int
    facts: tuple[str, ...]
    place: int
    of_machine: tuple[str, ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True)
class _Hit:
    start: int
    end: int
    guess: Guess
    vague: bool


def _hits(text: PlainText, evidence: Evidence, *, flat: bool) -> list[_Hit]:
    """What phrases say; numbers and names of codes count only where no clear phrase is found."""
    hits = []
    for phrase in phrases():
        match = phrase.find(text.lower, flat)
        if match is not None:
            guesses = phrase.judge(Seen(match, text.lower, evidence))
            hits += [_Hit(*match.span(), guess, phrase.vague) for guess in guesses]
    codes = [] if flat else rows_of_codes(text.shown)
    hits += [_Hit(*span, Guess(code, Surety.LIKELY), vague=True) for span, code in codes]
    clear = [hit for hit in hits if not hit.vague]
    return clear or hits


def _of_machine(row: Row, here: Evidence) -> tuple[str, ...]:
    """What this machine's own files say for a cause: a row's check looks for it."""
    try:
        return tuple(row.find(here))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return ()


def _finding(text: PlainText, hit: _Hit, here: Evidence | None) -> Finding:
    guess = hit.guess
    row = causes()[guess.code]
    proved = _of_machine(row, here) if here is not None else ()
    surety = max(guess.surety, Surety.LIKELY) if proved else guess.surety
    quote = text.quote(hit.start, hit.end)
    return Finding(
        row, surety, quote, text.line_at(hit.start), guess.facts, hit.start, proved, guess.fix
    )


def _merged(findings: list[Finding]) -> list[Finding]:
    """One finding a cause: its surest, with the facts of all."""
    best: dict[str, Finding] = {}
    for one in findings:
        known = best.get(one.row.code)
        if known is None:
            best[one.row.code] = one
            continue
        first, second = sorted((known, one), key=lambda each: (-each.surety, each.place))
        facts = tuple(dict.fromkeys((*first.facts, *second.facts)))
        best[one.row.code] = replace(first, facts=facts)
    return list(best.values())


def _found_here(findings: list[Finding], here: Evidence) -> list[Finding]:
    """Why no GPU responds on this machine: what the checks of its first broken layer find."""
    blind = next((each for each in findings if each.row.code in _BLIND), None)
    if blind is None or not (here.nvidia or here.models or here.platform.wsl):
        return []
    for layer in range(Layer.DRIVER, Layer.KERNEL):
        broken = [
            replace(blind, row=row, surety=Surety.LIKELY, facts=(), of_machine=lines, fix=None)
            for row in rows()
            if row.layer == layer
            and row.severity in {BLOCKER, CRASH}
            and not row.code.startswith(("rocm", "intel"))
            and (lines := _of_machine(row, here))
        ]
        if broken:
            return broken
    return []


def find_causes(pasted: str, here: Evidence) -> tuple[list[Finding], str]:
    """The causes that a text names, the surest first, and where the text is from ("": here)."""
    text = plain(pasted)
    evidence, said = evidence_of(text.lower, here)
    hits = _hits(text, evidence, flat=False)
    if not hits:
        text = squeezed(text)
        hits = _hits(text, evidence, flat=True)
    mine = here if evidence is here else None
    findings = _merged([_finding(text, hit, mine) for hit in hits])
    findings.sort(key=lambda each: (-each.surety, not each.of_machine, each.place))
    if any(each.surety is Surety.CERTAIN for each in findings):
        findings = [each for each in findings if each.surety > Surety.POSSIBLE]
    first = _found_here(findings, here) if mine is not None else []
    codes = {each.row.code for each in first}
    later = [each for each in findings if each.row.code not in codes]
    return [*first, *later][:_MOST], said


def _shown(finding: Finding, evidence: Evidence) -> str:
    fix = finding.fix or finding.row.fix(evidence)
    seen = [f'the text says "{finding.words}" (line {finding.line})', *finding.facts]
    machine = [f"this machine: {private(line)}" for line in finding.of_machine]
    restart = "" if fix.restart == "nothing" else f"; then restart {fix.restart}"
    return "\n".join(
        [
            f"{_WORDS[finding.surety]}{finding.row.code}: {finding.row.title}",
            f"  Why: {'; '.join([*seen, *machine])}",
            f"  {fix.text}",
            *(f"  $ {command}" for command in fix.commands),
            f"  By {fix.who}{restart}.",
        ]
    )


def answer(pasted: str, here: Evidence) -> str:
    """The causes of an error text as lines; empty when none is known."""
    findings, said = find_causes(pasted, here)
    if not findings:
        return ""
    evidence, _ = evidence_of(plain(pasted).lower, here)
    blocks = [_shown(finding, evidence) for finding in findings]
    if (
        not said
        and here.system == "Linux"
        and not (here.nvidia or here.models or here.platform.wsl)
    ):
        said = _NO_CARD if findings[0].row.code in _BLIND else ""
    return "\n\n".join([*blocks, *([said] if said else [])])

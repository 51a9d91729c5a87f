"""Diagnosis of pasted text: nvidia-smi's table, or the words of an error."""

from __future__ import annotations

import re

from gpukit._language import english, shown
from gpukit._names.plural import count_of
from gpukit._system import gpu_facts
from gpukit._system.gpu_facts import card_facts, floor_text, parse_capability, parse_version
from gpukit.doctor.catalogue import row
from gpukit.doctor.catalogue.base import BLOCKER, CRASH, DEGRADED, INFORMATION
from gpukit.doctor.check import Check
from gpukit.doctor.diagnosis import NOT_READY, READY, USABLE, Diagnosis
from gpukit.doctor.evidence import Evidence
from gpukit.doctor.smi_findings import Finding, capability_of, findings, stopped
from gpukit.doctor.smi_forms import failure_of, is_load_only, parse_other
from gpukit.doctor.smi_text import SmiGpu, SmiReport, parse_smi, plain_lines
from gpukit.doctor.wheels import Compat, judge
from gpukit.report.lights import lights_of

_MAX_TEXT = 1 << 20
_TURING = (7, 5)
_MATRIX = 10_000
_IDLE_MIB = 300
# A line of nvidia-smi's table, also a quoted one.
_TABLE_LINE = re.compile(r"^[\s>]{0,40}[|+│].*$", re.MULTILINE)


def _capability(gpu: SmiGpu) -> str | None:
    facts = card_facts(gpu.name)
    return facts.capability if facts else None


def _is_old(report: SmiReport) -> bool:
    """True when some card needs branch 580 or older."""
    known = [capability for gpu in report.gpus if (capability := _capability(gpu))]
    return any(parse_capability(capability) < _TURING for capability in known)


def _system(report: SmiReport) -> str:
    return "Linux" if report.system == "Linux" else "Windows"


def _driver_check(report: SmiReport) -> Check:
    """The driver against the floor of its system."""
    system = _system(report)
    floor = floor_text(12, system)
    enough = gpu_facts.cuda_major(report.driver, system) >= 12
    newest = f", up to CUDA {report.cuda}" if report.cuda else ""
    seen = [f"{report.system} driver {report.driver}{newest}"]
    if enough:
        return Check("driver-too-old", True, BLOCKER, "", evidence=seen)
    old = [capability_of(gpu) or _TURING for gpu in report.gpus]
    target = (
        f"branch {gpu_facts.LAST_BRANCH_FOR_OLD_CARDS}: newer ones ignore this card"
        if _is_old(report)
        else f"{floor} or newer"
    )
    if old and max(old) < gpu_facts.OLDEST_CAPABILITY:
        return Check("driver-too-old", True, BLOCKER, "", evidence=seen)  # the card is the cause
    return Check(
        "driver-too-old",
        False,
        BLOCKER,
        f"This driver is too old: gpukit needs {floor} or newer on {system}.",
        f"Update the driver to {target}. Until then gpukit computes on the CPU.",
        evidence=seen,
        who="an administrator",
        restart="the machine",
    )


def _from_row(code: str, lines: list[str], fault: bool = True) -> Check:
    found = row(code)
    fix = found.fix(Evidence())
    return Check(
        code,
        False,
        found.severity,
        found.title,
        fix.text,
        "\n".join(fix.commands) or None,
        lines,
        fix.who,
        fix.restart,
        found.likely,
        fault,
    )


def _card_checks(report: SmiReport, found: list[Finding]) -> list[Check]:
    """A check for each code, with the lines of all GPUs that it is about."""
    lines: dict[str, list[Finding]] = {}
    for finding in found:
        lines.setdefault(finding.code, []).append(finding)
    checks = [_check_of(code, each, report) for code, each in lines.items()]
    return checks + [check for gpu in report.gpus for check in _room(gpu)]


_UNKNOWN = {
    "card-not-known": (
        "The text names a card that is not in the table, or cuts its name: nothing is said about "
        "it.",
        "Run gpukit doctor on the machine, or nvidia-smi -L, which shows whole names.",
    ),
    "smi-unknown": (
        "The text does not show everything that matters.",
        "Run gpukit doctor on the machine.",
    ),
}


def _check_of(code: str, found: list[Finding], report: SmiReport) -> Check:
    lines = [finding.line for finding in found]
    if code in _UNKNOWN:
        text, fix = _UNKNOWN[code]
        return Check(code, False, INFORMATION, text, fix, evidence=lines)
    check = _from_row(code, lines)
    if check.severity in {BLOCKER, CRASH} and not any(each.stops for each in found):
        check.severity = DEGRADED
    if any(each.stops for each in found):
        check.severity = BLOCKER if len(stopped(found)) == len(report.gpus) else CRASH
    return check


def _room(gpu: SmiGpu) -> list[Check]:
    """What fits in the free memory, in the tutorials' unit: a 10000 x 10000 float32 matrix."""
    if gpu.memory_total is None or gpu.memory_used is None or gpu.memory_total > 8192:
        return []
    each = _MATRIX * _MATRIX * 4 / (1 << 20)
    free = gpu.memory_total - gpu.memory_used
    text = (
        f"{gpu.name}: {gpu.memory_total} MiB, {free} free. A 10000 x 10000 float32 matrix takes "
        f"{each:.0f} MiB; {int(free // each)} fit before CUDA's own share of some 100 to 300 MiB."
    )
    return [Check("small-memory", False, INFORMATION, text, "Smaller batches, or float16.")]


def _system_checks(report: SmiReport) -> list[Check]:
    if report.system != "Windows":
        return []
    lines = [f"GPU {gpu.index}: {gpu.mode}" for gpu in report.gpus if gpu.mode]
    lines = lines or ["the table is of Windows"]
    return [_from_row("windows-use-wsl2", lines), _from_row("wddm-caveats", lines, fault=False)]


def judge_paste(text: str) -> Diagnosis:
    """The verdict on a pasted table. Windows's is never "ready": gpukit runs there in WSL2.

    Args:
        text: What nvidia-smi printed, whole or cut off.

    Raises:
        ValueError: The text is not nvidia-smi's.

    Example:
        >>> import gpukit
        >>> text = "| NVIDIA-SMI 418.67   Driver Version: 418.67   CUDA Version: 10.1 |"
        >>> gpukit.doctor.judge_paste(text).verdict
        'not_ready'
    """
    shown = "\n".join(plain_lines(text[:_MAX_TEXT]))
    report = _report_of(shown)
    failure = failure_of(shown)
    if report is None or (failure and not report.gpus):
        return _without_report(shown, failure)
    return _judge(report, failure)


def _report_of(shown: str) -> SmiReport | None:
    """What the text shows, in whichever form; None if it is neither a table nor a list."""
    try:
        table = parse_smi(shown)
    except ValueError:
        return parse_other(shown)
    return table if table.gpus else parse_other(shown) or table


def _without_report(shown: str, failure: tuple[str, str] | None) -> Diagnosis:
    """The verdict on nvidia-smi's own failure, and on outputs that show only the load."""
    if failure is not None:
        check = _from_row(failure[0], [failure[1]])
        check.severity = BLOCKER
        return _diagnosis(SmiReport(""), NOT_READY, f"Not ready: {check.found}", [check])
    if not is_load_only(shown):
        raise ValueError(
            "judge_paste: this does not look like nvidia-smi output (no 'Driver Version'). For an "
            "error message use gpukit.doctor.explain(text)"
        )
    text, fix = _UNKNOWN["smi-unknown"]
    check = Check("smi-unknown", False, INFORMATION, text, fix, evidence=["loads only"])
    return _diagnosis(SmiReport(""), USABLE, "Not known: the text shows loads only.", [check])


def _judge(report: SmiReport, failure: tuple[str, str] | None) -> Diagnosis:
    found = findings(report)
    if failure is not None:  # of one GPU, next to a table of the others
        found.append(Finding(failure[0], failure[1]))
    checks = [_driver_check(report)] if report.driver else []
    checks += [*_card_checks(report, found), *_system_checks(report)]
    old = _is_old(report)
    too_new = parse_version(report.driver)[:1] >= (gpu_facts.FIRST_TURING_ONLY_BRANCH,)
    if old and too_new and not report.gpus:
        checks.append(_from_row("gpu-dropped-by-driver", [f"driver {report.driver}"]))
    if report.driver and not report.cuda and report.cuda_absent:
        checks.append(_from_row("capabilities-missing", ["CUDA Version: N/A: no libcuda"]))
        checks[-1].severity = DEGRADED
    blockers = [c for c in checks if not c.ok and c.severity == BLOCKER]
    only_wsl = [c.id for c in blockers] == ["windows-use-wsl2"]
    for check in blockers:
        check.severity = DEGRADED if only_wsl else BLOCKER
    doubts = [c for c in checks if not c.ok and c.severity in {CRASH, DEGRADED}]
    unknown = not report.gpus or not report.driver or any(c.id in _UNKNOWN for c in checks)
    every = bool(report.gpus) and len(stopped(found)) == len(report.gpus)
    verdict = USABLE if only_wsl or doubts or unknown else READY
    verdict = NOT_READY if (blockers and not only_wsl) or every else verdict
    order = {BLOCKER: 0, CRASH: 1, DEGRADED: 2, INFORMATION: 3}
    checks.sort(key=lambda c: (c.ok, order[c.severity]))
    return _diagnosis(report, verdict, _headline(report, verdict, checks, found), checks)


def _diagnosis(report: SmiReport, verdict: str, headline: str, checks: list[Check]) -> Diagnosis:
    cut = bool(report.driver) and not report.complete
    return Diagnosis(
        verdict=verdict,
        headline=headline,
        checks=checks,
        lights=lights_of(
            hardware=bool(report.gpus) or None,
            driver=bool(report.driver) or None,
            nvml=bool(report.gpus) or None,
            start=None,
            kernel=None,
        ),
        platform=f"pasted text of a {report.system} machine",
        driver=report.driver,
        notes=["The text is cut off before the table of processes."] if cut else [],
    )


def _headline(report: SmiReport, verdict: str, checks: list[Check], found: list[Finding]) -> str:
    names = ", ".join(gpu.name for gpu in report.gpus) or "no card in the text"
    driver = f"driver {report.driver}" if report.driver else "a driver that the text does not name"
    if verdict == NOT_READY:
        return f"Not ready: {checks[0].found}"
    if verdict == READY:
        return f"Ready by this text: {names}, {driver}. Only a kernel proves it."
    bad = stopped(found)
    if bad:
        good = [f"GPU {gpu.index}" for gpu in report.gpus if gpu.index not in bad]
        broken = ", ".join(f"GPU {index}" for index in sorted(bad))
        return f"Usable in part by this text: {', '.join(good)}; not {broken}. {checks[0].found}"
    if report.system == "Windows":
        return f"Usable in WSL2: {names}, {driver}. gpukit has no Windows wheel."
    doubts = [c for c in checks if not c.ok and c.severity in {CRASH, DEGRADED}]
    if doubts:
        count = count_of(len(doubts), "issue")
        return f"Usable by this text: {names}, {driver}. {count} to fix: {doubts[0].found}"
    return f"Not known: the text shows {names}, {driver}, and not all that decides."


_FIELDS = (
    ("Driver Version", "the version of the kernel driver"),
    ("CUDA Version", "the newest CUDA that this driver accepts, not one that is installed"),
    ("Persistence-M, TCC/WDDM", "whether the driver stays loaded; on Windows its display model"),
    ("Bus-Id", "the card's place on the PCI bus"),
    ("Disp.A", "whether a display hangs on it"),
    ("Perf", "P0 is full speed, P8 to P12 is idle"),
    ("Pwr:Usage/Cap", "watts now / watts allowed"),
    ("Memory-Usage", "in use / in all, of every process and the driver"),
    ("GPU-Util", "share of time in which some kernel ran, not how much of the card it used"),
    ("Compute M.", "Default: many processes may use it"),
    ("MIG M.", "whether the card is cut into slices"),
)


def _gpu_line(gpu: SmiGpu) -> str:
    facts = card_facts(gpu.name)
    known = (
        f"{facts.architecture}, compute capability {facts.capability}"
        if facts
        else "not in the table"
    )
    cut = ", name cut by nvidia-smi" if gpu.name_is_cut else ""
    memory = f", memory {gpu.memory_used} of {gpu.memory_total} MiB" if gpu.memory_total else ""
    busy = f", busy {gpu.utilization} % of the time" if gpu.utilization is not None else ""
    heat = f", {gpu.temperature} °C" if gpu.temperature is not None else ""
    return f"GPU {gpu.index}: {gpu.name} ({known}{cut}){memory}{busy}{heat}"


def _free_line(gpus: list[SmiGpu]) -> list[str]:
    """Of several GPUs, those that seem unused."""
    free = [
        str(gpu.index)
        for gpu in gpus
        if gpu.utilization == 0 and gpu.memory_used is not None and gpu.memory_used < _IDLE_MIB
    ]
    if len(gpus) < 2:
        return []
    return [f"Nobody uses GPU {', '.join(free)}." if free else "All of them are in use."]


def _explain_table(text: str) -> str:
    report = parse_smi(text)
    shown = "\n".join(plain_lines(text))
    capability = next((c for gpu in report.gpus if (c := _capability(gpu))), None)
    name = report.gpus[0].name if report.gpus else None
    fits: Compat = judge(report.driver, name, capability, _system(report))
    processes = count_of(len(report.processes), "process")
    count = f"{count_of(len(report.gpus), 'GPU')}, {processes} in the text"
    lines = [
        judge_paste(text).headline,
        "",
        f"Driver {report.driver}: {_system(report)}'s"
        + (f", accepts programs up to CUDA {report.cuda}" if report.cuda else ""),
        count,
        *(_gpu_line(gpu) for gpu in report.gpus),
        *_free_line(report.gpus),
        "",
        "What the fields mean:",
        *(f"  {field}: {meaning}" for field, meaning in _FIELDS if _is_shown(field, shown)),
        "",
        "What fits:",
        *(f"  {w.library}: {w.command or 'nothing'} ({w.why})" for w in fits.wheels),
    ]
    return "\n".join(lines)


def _is_shown(field: str, shown: str) -> bool:
    return any(part in shown for part in field.split(", "))


def explain(text: str) -> str:
    """Say what a pasted nvidia-smi table or error text means, and what to do.

    A cause is stated plainly if the text proves it, else as "likely" or "possible", with the
    words that speak for it, what this machine's files say, and commands. No word of the text
    becomes part of a command. A text that nothing is known about gets "not known" and what to run.

    Args:
        text: nvidia-smi's table, or an error message or traceback of any library.

    Raises:
        TypeError: `text` is not a str. ValueError: it is empty.

    Example:
        >>> from gpukit import doctor
        >>> print(doctor.explain("RuntimeError: Failed to initialize NVML: Driver/library version"
        ...                      " mismatch").split(":")[0])
        driver-library-mismatch
    """
    if not isinstance(text, str):
        raise TypeError(f"explain: text must be a str, got {type(text).__name__}")
    if not text.strip():
        raise ValueError("explain: text is empty; paste nvidia-smi's table or an error message")
    from gpukit.doctor.errors.answer import NOT_KNOWN, answer
    from gpukit.doctor.probes import gather_quickly

    text = english(text)
    here = gather_quickly()
    table = "\n".join(plain_lines(text[:_MAX_TEXT]))
    if not re.search(r"(Driver|KMD) Version:\s*\d", table):
        return shown(answer(text, here) or NOT_KNOWN)
    around = answer(_TABLE_LINE.sub("", text), here)
    return shown("\n\n".join([*([around] if around else []), _explain_table(table)]))

"""Problems of each GPU in an nvidia-smi table, as codes of the catalogue."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gpukit._system.gpu_facts import OLDEST_CAPABILITY, card_facts, parse_capability
from gpukit.doctor.smi_text import SmiGpu, SmiProcess, SmiReport

_LAST_KEPLER, _LAST_OLD = 470, 580
_GHOST_MIB, _FULL_SHARE, _FULL_MIB = 700, 0.04, 600
_HOT, _BUSY = 90, 50
_SLOW_STATES = re.compile(r"P(?:[5-9]|1\d)$")
# Sensors may fail briefly; the GPU keeps working.
_SENSORS_ONLY = 2


@dataclass(frozen=True)
class Finding:
    """One thing about one GPU. `stops` when no kernel would run on it; `gpu` is its number."""

    code: str
    line: str
    stops: bool = False
    gpu: int | None = None


def capability_of(gpu: SmiGpu) -> tuple[int, int] | None:
    """Compute capability by the name, None for a card that is not in the table."""
    facts = card_facts(gpu.name)
    return parse_capability(facts.capability) if facts else None


def _answers(gpu: SmiGpu) -> list[Finding]:
    """Readings that the driver could not make."""
    if not gpu.unreadable:
        return []
    line = f"GPU {gpu.index} ({gpu.name}): reads {', '.join(dict.fromkeys(gpu.unreadable))}"
    if any("reset" in word.lower() for word in gpu.unreadable):
        return [Finding("ecc-or-row-remap", line, True)]
    alive = gpu.memory_total is not None and len(gpu.unreadable) <= _SENSORS_ONLY
    if alive and not any(word in gpu.name for word in ("ERR!", "Unknown Error")):
        return [Finding("gpu-silent-in-nvml", line)]
    return [Finding("gpu-fell-off-bus", line, True)]


def _memory_errors(gpu: SmiGpu) -> list[Finding]:
    """Uncorrected errors of ECC; Off, N/A and 0 are fine."""
    found = [f"GPU {gpu.index} ({gpu.name}): {text}" for text in gpu.state if "ECC" in text]
    if gpu.ecc and gpu.ecc.isdecimal() and gpu.ecc.strip("0"):
        found.append(f"GPU {gpu.index} ({gpu.name}): {gpu.ecc} uncorrected ECC errors")
    return [Finding("ecc-or-row-remap", line, True) for line in found]


def _sharing(gpu: SmiGpu, processes: Sequence[SmiProcess]) -> list[Finding]:
    """Modes that keep processes out."""
    mode, line = gpu.compute_mode or "", f"GPU {gpu.index}: compute mode {gpu.compute_mode}"
    if "Prohibited" in mode:
        return [Finding("compute-mode-exclusive", line, True)]
    if not mode.startswith("E"):
        return []
    taken = any("C" in process.kind for process in processes)
    used = f"{line}, and a process uses it" if taken else f"{line}: it serves one process"
    return [Finding("compute-mode-exclusive", used, taken)]


def _slices(gpu: SmiGpu, report: SmiReport) -> list[Finding]:
    """MIG without an instance; a text that ends before the instances says nothing."""
    if not (gpu.mig_mode or "").startswith("Enabled"):
        return []
    if gpu.mig_devices:
        return [Finding("mig-one-per-process", f"GPU {gpu.index}: {gpu.mig_devices} instances")]
    if report.complete or report.no_mig_devices:
        return [Finding("mig-no-instance", f"GPU {gpu.index}: MIG is on, no instance", True)]
    return [Finding("smi-unknown", f"GPU {gpu.index}: MIG is on; its instances are not shown")]


def _memory(gpu: SmiGpu, report: SmiReport, processes: Sequence[SmiProcess]) -> list[Finding]:
    """A card without room, and memory that no process of the table accounts for."""
    if gpu.memory_total is None or gpu.memory_used is None or gpu.mig_devices:
        return []
    if (gpu.mig_mode or "").startswith("Enabled"):
        return []
    free = gpu.memory_total - gpu.memory_used
    line = f"GPU {gpu.index}: {gpu.memory_used} of {gpu.memory_total} MiB in use"
    found = []
    if free < max(_FULL_MIB if gpu.memory_total > 4096 else 200, _FULL_SHARE * gpu.memory_total):
        found.append(Finding("oom-other-process", f"{line}, {free} free"))
    told = all(process.memory is not None for process in processes)
    ghost = gpu.memory_used - sum(process.memory or 0 for process in processes)
    if report.complete and report.system == "Linux" and told and ghost > _GHOST_MIB:
        found.append(Finding("ghost-memory", f"{line}; processes account for all but {ghost} MiB"))
    return found


def _speed(gpu: SmiGpu) -> list[Finding]:
    """Clocks that are held down while the card works."""
    found = [text for text in gpu.state if "Slowdown" in text or "Brake" in text]
    if gpu.temperature is not None and gpu.temperature >= _HOT:
        found.append(f"{gpu.temperature} °C")
    busy = gpu.utilization is not None and gpu.utilization >= _BUSY
    if busy and gpu.performance_state and _SLOW_STATES.match(gpu.performance_state):
        found.append(f"{gpu.performance_state} at {gpu.utilization} % load")
    return [Finding("clock-stuck-or-throttled", f"GPU {gpu.index}: {text}") for text in found]


def _known(gpu: SmiGpu) -> list[Finding]:
    """Cards that are too old, licensed, or not in the table."""
    capability = capability_of(gpu)
    named = f"GPU {gpu.index}: {gpu.name}"
    if any("Unlicensed" in text for text in gpu.state):
        return [Finding("vgpu-unlicensed", f"{named}, unlicensed")]
    if capability is None:
        return [] if gpu.unreadable else [Finding("card-not-known", named)]
    if capability < OLDEST_CAPABILITY:
        text = f"{named}: compute capability {capability[0]}.{capability[1]}"
        last = f"; branch {_LAST_KEPLER} was the last for it" if capability < (5, 0) else ""
        return [Finding("card-too-old-for-gpukit", text + last, True)]
    if capability[0] == 8 and capability[1] == 7:
        return [Finding("smi-unknown", f"{named}: gpukit is untried on such boards")]
    return []


def _rows_missing(gpu: SmiGpu, report: SmiReport) -> list[Finding]:
    """A table's GPU whose rows were not all read: what they say might be the fault."""
    in_table = report.tool is not None
    seen = gpu.memory_total is not None and gpu.compute_mode is not None and gpu.ecc is not None
    if not in_table or seen or gpu.unreadable:
        return []
    return [Finding("smi-unknown", f"GPU {gpu.index}: not all of its rows could be read")]


def findings(report: SmiReport) -> list[Finding]:
    """All findings, GPU by GPU."""
    found: list[Finding] = []
    processes = defaultdict(list)
    for process in report.processes:
        processes[process.gpu].append(process)
    for gpu in report.gpus:
        own = processes[gpu.index]
        of_gpu = [*_answers(gpu), *_memory_errors(gpu), *_known(gpu), *_sharing(gpu, own)]
        of_gpu += [*_slices(gpu, report), *_memory(gpu, report, own), *_speed(gpu)]
        of_gpu += _rows_missing(gpu, report)
        found += [replace(each, gpu=gpu.index) for each in of_gpu]
    return found


def stopped(found: Sequence[Finding]) -> set[int]:
    """The numbers of the GPUs on which no kernel would run."""
    return {each.gpu for each in found if each.stops and each.gpu is not None}

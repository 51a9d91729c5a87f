"""Macs: gpukit computes on their CPU; torch uses Metal."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import (
    DEGRADED,
    INFORMATION,
    KERNEL,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence


def _translated(evidence: Evidence) -> bool:
    return evidence.sysctl.get("sysctl.proc_translated") == "1"


@check(
    "mac-rosetta-python",
    Layer.PLACE,
    DEGRADED,
    "This Python is built for Intel and runs translated: it is slow, and Metal is not shown to it.",
    Fix("Install a Python for arm64, e.g. Miniforge's.", restart=KERNEL),
    likely=True,
)
def rosetta(evidence: Evidence) -> list[str]:
    """An Intel build on Apple's chip."""
    if evidence.system != "Darwin" or not _translated(evidence):
        return []
    return [f"platform.machine() is {evidence.arch}", "sysctl.proc_translated is 1"]


@check(
    "mac-intel",
    Layer.PLACE,
    INFORMATION,
    "Intel Macs have no Metal that computes well: use the CPU.",
    Fix("gpukit's CPU part is the path here."),
)
def intel_mac(evidence: Evidence) -> list[str]:
    """A real Intel chip, not one under translation."""
    intel = evidence.system == "Darwin" and evidence.arch == "x86_64" and not _translated(evidence)
    return [evidence.sysctl.get("machdep.cpu.brand_string") or "x86_64"] if intel else []


@check(
    "mps-ci-zero",
    Layer.USE,
    DEGRADED,
    "GitHub's macOS machines show Metal, and every allocation fails there.",
    Fix("Use the CPU in these jobs."),
    symptoms=(r"MPS allocated: 0 bytes",),
)
def mps_in_ci(evidence: Evidence) -> list[str]:
    """A Mac in a GitHub job."""
    inside = evidence.system == "Darwin" and evidence.env("GITHUB_ACTIONS")
    return ["GITHUB_ACTIONS is set"] if inside else []


known(
    "mps-watermark-oom",
    Layer.USE,
    DEGRADED,
    "Metal ran out of the memory that it shares with the CPU.",
    Fix(
        "Smaller batches, fewer programs. The limit can be lifted before torch starts, which can "
        "freeze the machine.",
        ("export PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0",),
        restart=KERNEL,
    ),
    symptoms=(r"MPS backend out of memory",),
)

known(
    "mps-op-missing",
    Layer.USE,
    DEGRADED,
    "torch has not written this operation for Metal.",
    Fix(
        "Let it run on the CPU instead.",
        ("export PYTORCH_ENABLE_MPS_FALLBACK=1",),
        restart=KERNEL,
    ),
    symptoms=(r"not current(ly)? implemented for the MPS device",),
)

"""How long hosted notebooks run: dated facts, and how old this session is."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gpukit._system.machine import Machine


@dataclass(frozen=True)
class SessionLimit:
    """The limits of a free notebook. None is not known, or there is none."""

    offer: str  # the name in gpukit.cloud
    hours: float
    idle_minutes: float | None
    hours_a_week: float | None
    as_of: str
    source: str


# By the name of the platform (_system.platforms). Services change these without notice.
LIMITS = {
    "colab": SessionLimit(
        "colab-free", 12, 90, None, "2026-05", "Colab's FAQ; the idle time is approximate"
    ),
    "kaggle": SessionLimit(
        "kaggle-free", 12, None, 30, "2025-11", "Kaggle, unofficial; `kaggle quota` shows the rest"
    ),
    "sagemaker-studiolab": SessionLimit(
        "studio-lab", 4, None, 28, "2023-01", "Studio Lab's examples: 4 GPU hours a day"
    ),
}


def limit_of_offer(name: str) -> SessionLimit | None:
    """The limits of an offer of gpukit.cloud."""
    return next((limit for limit in LIMITS.values() if limit.offer == name), None)


def age_seconds(machine: Machine) -> float | None:
    """Seconds since the first process of this machine or container; None if unknown."""
    fields = machine.read("/proc/1/stat").rpartition(")")[2].split()
    uptime = machine.read("/proc/uptime").split()
    try:
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, float(uptime[0]) - began)
    except (AttributeError, IndexError, OSError, ValueError):
        return None


def job_end(machine: Machine) -> float | None:
    """When a SLURM job must end, in seconds of the epoch."""
    text = machine.env("SLURM_JOB_END_TIME")
    return float(text) if text and text.isdigit() else None

"""Diagnoses this machine's GPU and says what to do: `gpukit.doctor()` is callable.

Example:
    >>> import gpukit
    >>> gpukit.doctor.parse_smi("| Driver Version: 535.54.03  CUDA Version: 12.2 |").cuda
    '12.2'
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from gpukit.doctor.check import Check
from gpukit.doctor.diagnosis import Diagnosis
from gpukit.doctor.paste import explain, judge_paste
from gpukit.doctor.setup_plan import plan
from gpukit.doctor.smi_text import SmiGpu, SmiProcess, SmiReport, parse_smi
from gpukit.doctor.wheels import Compat, Wheel, compat

__all__ = [
    "Check",
    "Compat",
    "Diagnosis",
    "SmiGpu",
    "SmiProcess",
    "SmiReport",
    "Wheel",
    "checks",
    "compat",
    "examine",
    "explain",
    "judge_paste",
    "parse_smi",
    "plan",
]


def checks() -> list[str]:
    """The codes of the whole catalogue, first layer first.

    Example:
        >>> from gpukit import doctor
        >>> "driver-not-installed" in doctor.checks()
        True
    """
    from gpukit.doctor.catalogue import rows

    return [row.code for row in rows()]


def examine(*, deep: bool = False) -> Diagnosis:
    """Find out whether the GPU works, and what is broken first if it does not.

    The evidence is gathered in a child process with a time limit: files first, then NVML, then the
    driver, then a small kernel on each device. This process's own CUDA state is not touched.

    Args:
        deep: also copy between all pairs of GPUs; takes up to two minutes.

    Returns:
        A Diagnosis: `verdict` is "ready", "usable" or "not_ready".

    Example:
        >>> import gpukit
        >>> gpukit.doctor().exit_code in (0, 1)
        True
    """
    if not isinstance(deep, bool):
        raise TypeError(f"doctor: deep must be True or False, got {deep!r}")
    from gpukit.doctor.diagnosis import diagnose
    from gpukit.doctor.gather import gather

    return diagnose(gather(deep=deep))


class _CallableDoctor(ModuleType):
    """`gpukit.doctor(…)` is `gpukit.doctor.examine(…)`."""

    __signature__ = inspect.signature(examine)

    def __call__(self, *, deep: bool = False) -> Diagnosis:
        return examine(deep=deep)

    def __getattr__(self, name: str) -> Any:
        from gpukit._names.suggest import no_attribute

        no_attribute(__name__, name)


sys.modules[__name__].__class__ = _CallableDoctor

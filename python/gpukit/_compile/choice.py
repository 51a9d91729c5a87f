"""What runs a group where the user named no backend."""

from __future__ import annotations

from gpukit import _core
from gpukit._compile.group import Group
from gpukit._compile.trace import Trace


def compiles_unasked() -> bool:
    """Whether chains on the GPUs of now are compiled: on real ones, and on those that run PTX.

    A real GPU takes up to 1.4 times as long for an interpreted chain as for its operators one by
    one, and a seventh for a compiled one. Other simulated GPUs would interpret the compiled code
    and run the interpreting kernel as code of the host.
    """
    if not _core.cuda_is_simulated():
        return True
    from gpukit._simulation import session

    return "engine=ptx" in session.active_text()


def engine_of(group: Group, trace: Trace, backend: str | None) -> str:
    """What a group runs as, in the words of explain()."""
    device = trace.facts[group.makes()[0]].device
    if backend == "python":
        return "steps in Python"
    if not _core.has_chains(device):
        return "operators: devices of this kind have no chains"
    if device.type != "cuda":
        return "tiles"
    compiles = backend == "nvrtc" or (backend is None and compiles_unasked())
    if not compiles:
        return "the interpreting kernel"
    reason = _without_code(group, trace)
    if not reason:
        return "a kernel compiled by NVRTC"
    return f"{'operators' if backend is None else 'the interpreting kernel'}: {reason}"


def gains(group: Group, trace: Trace) -> bool:
    """Whether a chain is the quicker way where no backend was named."""
    return not engine_of(group, trace, None).startswith("operators")


def _without_code(group: Group, trace: Trace) -> str:
    from gpukit._compile.cuda_source import has_text

    return "" if has_text(group, trace) else "some step has no text in CUDA C++"

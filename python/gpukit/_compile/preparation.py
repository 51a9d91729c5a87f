"""A trace made ready to run: its groups, their derivatives, and the replay."""

from __future__ import annotations

from dataclasses import dataclass

from gpukit import _core
from gpukit._compile.choice import gains
from gpukit._compile.grouping import Plan, plan_of
from gpukit._compile.replay import Replay
from gpukit._compile.trace import Trace


@dataclass(frozen=True)
class Prepared:
    """What later calls run, and whether they gain by it where no backend was named."""

    trace: Trace
    plan: Plan
    replay: Replay
    gains: bool


def prepared(trace: Trace, backend: str | None) -> Prepared:
    """Prepares a trace, in the modes in which it was recorded, whatever those of now are."""
    recording, inference = _core.is_grad_enabled(), _core.is_inference_mode_enabled()
    _core.set_inference_mode(False)
    _core.set_grad_mode(trace.records)
    try:
        plan = plan_of(trace)
        replay = Replay(trace, plan, backend)
    finally:
        _core.set_inference_mode(inference)
        _core.set_grad_mode(recording)
    return Prepared(trace, plan, replay, any(gains(group, trace) for group in plan.groups()))

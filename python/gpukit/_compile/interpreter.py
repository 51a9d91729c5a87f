"""A chain done by Python, one operator a step: what other engines are compared with."""

from __future__ import annotations

from typing import Any

import gpukit
from gpukit._compile.lowering import Step


def interpret(steps: list[Step], inputs: dict[int, Any], results: list[int]) -> tuple[Any, ...]:
    """The results of a chain from the values of its inputs, by number."""
    values = dict(inputs)
    for step in steps:
        values[step.value] = _run(step, values)
    return tuple(values[number] for number in results)


def _run(step: Step, values: dict[int, Any]) -> Any:
    if step.name == "convert":
        return values[step.reads()[0]].to(step.number)
    if step.name == "clamp":
        low, high = step.number
        return gpukit.clamp(values[step.reads()[0]], low, high)
    operands = [step.number if operand is None else values[operand] for operand in step.operands]
    return getattr(gpukit, step.name)(*operands)

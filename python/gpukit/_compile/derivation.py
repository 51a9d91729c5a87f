"""Chains as the core takes them, and where gradients are recorded, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._autocast import THREAD
from gpukit._compile.group import Group
from gpukit._compile.trace import Facts, Operation, Trace, filled, store

# Operands to derive with: of both signs, around 0 and 1, and what has no number.
_NUMBERS = (0.5, -1.25, 2.0, 0.0, -0.0, 1.0, -1.0, 3.5, 0.1, -0.7, 0.9, 1e-3, 10.0, -2.5)
_EXAMPLES = (*_NUMBERS, float("nan"), float("inf"), -float("inf"))


def program(group: Group, trace: Trace) -> Any:
    """The group as the devices take it."""
    made, places = group.program(trace), group.places()
    dtypes = [made.dtypes[value] for value in made.inputs]
    steps = [(step.name, step.operands, step.number) for step in made.steps]
    endings = [(each.name, places[each.value], each.dims, each.keepdim) for each in group.endings]
    return _core.Chain(dtypes, steps, made.results, endings)


def recorded_chain(group: Group, trace: Trace) -> Any | None:
    """The group with its derivative, or None: then its operators are recorded one by one."""
    chain = program(group, trace)
    facts = [trace.facts[number] for number in group.inputs]
    made = [trace.facts[number] for each in group.operations for number in each.makes()]
    if not any(each.requires_grad for each in (*facts, *made)):
        return chain
    examples = [_example(each) for each in facts]
    try:
        derived = chain.derive(examples, _computing(group), _compiler(group, facts))
    except (RuntimeError, ValueError, TypeError, LookupError):
        return None  # an operator that takes no such tensors
    return chain if derived else None


def _compiler(group: Group, facts: list[Facts]) -> Any:
    """What compiles the programs, where the inputs are on GPUs and nothing is reduced."""
    if group.endings or any(each.device.type != "cuda" for each in facts):
        return None
    from gpukit._compile.nvrtc import ProgramCompiler

    group.compiler = ProgramCompiler()
    return group.compiler


def call_operation(operation: Operation, values: Any) -> None:
    """Calls an operator with values by number, and puts its results there."""
    arguments = {key: filled(value, values) for key, value in operation.arguments.items()}
    recording = _core.is_grad_enabled()
    if recording == operation.records:
        store(operation.result, operation.operator.call(arguments), values)
        return
    _core.set_grad_mode(operation.records)
    try:
        store(operation.result, operation.operator.call(arguments), values)
    finally:
        _core.set_grad_mode(recording)


def _computing(group: Group) -> Callable[[tuple[Any, ...]], list[Any]]:
    """The group's results by its operators; it holds nothing of the trace but these."""
    operations, inputs = group.operations_of_steps(), group.inputs
    results = [*group.results, *(ending.value for ending in group.endings)]

    def compute(tensors: tuple[Any, ...]) -> list[Any]:
        values = dict(zip(inputs, tensors, strict=True))
        settings, THREAD.settings = THREAD.settings, {}  # those of the backward pass
        try:
            for operation in operations:
                call_operation(operation, values)
        finally:
            THREAD.settings = settings
        return [values[number] for number in results]

    return compute


def _example(facts: Facts) -> Any:
    values: tuple[Any, ...] = _EXAMPLES
    if not facts.dtype.is_floating_point:
        values = tuple(number % 3 for number in range(len(_EXAMPLES)))
    made = _core.tensor(list(values), dtype=facts.dtype, device="cpu")
    return made.requires_grad_() if facts.requires_grad else made

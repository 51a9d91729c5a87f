"""Runs a plan with the tensors of a call."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._compile.choice import compiles_unasked
from gpukit._compile.derivation import call_operation, program
from gpukit._compile.group import Group
from gpukit._compile.grouping import Plan
from gpukit._compile.interpreter import interpret
from gpukit._compile.rows import RowChain, runs_of_rows
from gpukit._compile.trace import Operation, Trace, filled, values_in


class ChangedError(Exception):
    """A part failed after an earlier one has written into a tensor: `cause` is its error."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Replay:
    """A trace ready to run. It has no state of a call, so threads may share it."""

    def __init__(self, trace: Trace, plan: Plan, backend: str | None) -> None:
        self._values = [trace.captured.get(number) for number in range(len(trace.facts))]
        self._arguments = trace.arguments
        self._result = trace.result
        parts = [_part(part, trace, backend) for part in plan.parts]
        self._parts = list(zip(parts, _last_uses(plan, trace), strict=True))
        if backend in {None, "tiles"}:
            self._join_rows(plan, trace)

    def _join_rows(self, plan: Plan, trace: Trace) -> None:
        """Puts groups over the same rows in the place of the first of them."""
        for place, stages in reversed(runs_of_rows(plan, trace)):
            end = place + len(stages)
            parts = [part for part, _ in self._parts[place:end]]
            dead = [number for _, numbers in self._parts[place:end] for number in numbers]
            rows = RowChain(stages, parts, plan.parts[end:], trace)
            self._parts[place:end] = [(rows, dead)]

    def run(self, tensors: list[Any]) -> Any:
        """The function's result for these tensors among its arguments."""
        values = self._values.copy()
        for number, tensor in zip(self._arguments, tensors, strict=True):
            values[number] = tensor
        changed = False
        for part, dead in self._parts:
            try:
                part.run(values)
            except Exception as error:
                if changed:
                    raise ChangedError(error) from error
                raise
            changed = changed or part.changes
            for number in dead:
                values[number] = None
        return filled(self._result, values)


class _Single:
    """One operator."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self.changes = operation.changes

    def run(self, values: list[Any]) -> None:
        """Calls it with the values of this call."""
        call_operation(self._operation, values)


class _Chain:
    """A group in one pass where the device and the shapes allow it, else its operators."""

    changes = False

    def __init__(self, group: Group, trace: Trace, backend: str | None) -> None:
        self._inputs, self._results = group.inputs, group.makes()
        self._chain = group.chain or program(group, trace)
        self._operators = [_Single(operation) for operation in group.operations]
        self._unasked = backend is None
        self._kernels = _kernels_of(group, trace, backend)
        if group.compiler is not None and self._kernels is not None:
            group.compiler.asked = not self._unasked

    def run(self, values: list[Any]) -> None:
        """Runs it."""
        inputs = [values[number] for number in self._inputs]
        made, interprets = None, True
        if self._kernels is not None and (not self._unasked or compiles_unasked()):
            if _core.is_grad_enabled() and any(each.requires_grad for each in inputs):
                interprets = not self._unasked or self._kernels.are_ready(inputs)
            else:
                made, interprets = self._kernels.run(inputs), not self._unasked
        if made is None and interprets:
            made = self._chain.run(inputs)
        if made is None:
            for operator in self._operators:
                operator.run(values)
            return
        for number, tensor in zip(self._results, made, strict=True):
            values[number] = tensor


class _Recorded:
    """A group by its operators."""

    changes = False

    def __init__(self, group: Group) -> None:
        self._operations = group.operations

    def run(self, values: list[Any]) -> None:
        """Runs it."""
        for operation in self._operations:
            call_operation(operation, values)


class _Interpreted:
    """A group by the interpreter in Python."""

    changes = False

    def __init__(self, group: Group) -> None:
        self._group = group

    def run(self, values: list[Any]) -> None:
        """Runs it."""
        group = self._group
        inputs = {number: values[number] for number in group.inputs}
        left = [*group.results, *(ending.value for ending in group.endings)]
        made = interpret(group.steps, inputs, left)
        for number, tensor in zip(left, made, strict=True):
            values[number] = tensor
        for operation in group.operations_of_endings():
            call_operation(operation, values)


def _part(part: Operation | Group, trace: Trace, backend: str | None) -> Any:
    if isinstance(part, Operation):
        return _Single(part)
    if backend == "python":
        return _Recorded(part) if trace.records else _Interpreted(part)
    return _Chain(part, trace, backend)


def _kernels_of(group: Group, trace: Trace, backend: str | None) -> Any:
    """What the CUDA compiler makes of a group, on devices that it is for."""
    on_gpu = trace.facts[group.makes()[0]].device.type == "cuda"
    if backend == "tiles" or group.endings or not on_gpu:
        return None
    from gpukit._compile.nvrtc import CompiledKernels

    return CompiledKernels(group.program(trace), asked=backend is not None)


def _last_uses(plan: Plan, trace: Trace) -> list[list[int]]:
    """After each part, the values that nothing reads any more."""
    kept = {value.number for value in values_in(trace.result)}
    ends: list[list[int]] = []
    for part in reversed(plan.parts):
        if isinstance(part, Operation):
            touched = {*part.reads(), *part.makes()}
        else:
            touched = {*part.inputs, *part.results}
            for operation in part.operations:
                touched.update((*operation.reads(), *operation.makes()))
        ends.append(sorted(touched - kept))
        kept |= touched
    return ends[::-1]

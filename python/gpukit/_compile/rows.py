"""Groups over the same rows, of which later ones read reductions of earlier ones.

A softmax written out is three of them: up to the maximum, up to the sum, and the division. They run
block by block of rows, so that what only they read stays in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._compile.derivation import program
from gpukit._compile.group import Group
from gpukit._compile.grouping import Plan
from gpukit._compile.lowering import Reason, lowered
from gpukit._compile.trace import Facts, Operation, Trace, values_in

Part = Operation | Group


def runs_of_rows(plan: Plan, trace: Trace) -> list[tuple[int, list[Group]]]:
    """Where such groups stand among the parts, and the groups; operators alone are groups too."""
    found: list[tuple[int, list[Group]]] = []
    if trace.records:
        return found
    place = 0
    while place < len(plan.parts):
        stages = _stages_from(plan.parts[place:], trace)
        if len(stages) > 1:
            found.append((place, stages))
        place += max(1, len(stages))
    return found


def _stages_from(parts: Sequence[Part], trace: Trace) -> list[Group]:
    """As many parts from the first on as run together; they end with one that reads of them."""
    stages: list[Group] = []
    kept = 0
    made: set[int] = set()
    reduced: set[int] = set()
    loose: set[int] = set()  # reductions that lie otherwise than rows
    for part in parts:
        group = _as_group(part, trace)
        if group is None or (not stages and not group.endings):
            break
        if stages and not _is_alike(group, stages[0], trace):
            break
        if loose.intersection(group.inputs):
            break
        stages.append(group)
        if reduced.intersection(group.inputs) or (made.intersection(group.inputs) and kept):
            kept = len(stages)
        made.update(group.makes())
        reduced.update(each.result for each in group.endings)
        loose.update(each.result for each in group.endings if not each.keepdim)
    return stages[:kept]


def _as_group(part: Part, trace: Trace) -> Group | None:
    """The part as a group, if it is one that the CPU does."""
    if isinstance(part, Group):
        group = part
    else:
        steps = lowered(part, trace)
        if isinstance(steps, Reason):
            return None
        made = {step.value for step in steps}
        reads = dict.fromkeys(value for step in steps for value in step.reads())
        group = Group(steps, [part], [each for each in reads if each not in made], part.makes())
    return group if _facts(group, trace).device.type == "cpu" and group.inputs else None


def _is_alike(group: Group, first: Group, trace: Trace) -> bool:
    """Over the whole rows, or over one number of each, as reductions leave it."""
    shape, whole, dims = (
        _facts(group, trace).shape,
        _facts(first, trace).shape,
        first.endings[0].dims,
    )
    if shape == whole:
        return all(each.dims == dims for each in group.endings)
    kept = len(whole) - dims
    return not group.endings and shape == (*whole[:kept], *[1] * dims)


def _facts(group: Group, trace: Trace) -> Facts:
    return trace.facts[group.steps[-1].value]


class RowChain:
    """Runs such groups at once where their shapes allow it, else one after another."""

    changes = False

    def __init__(
        self, stages: list[Group], parts: list[Any], later: Sequence[Part], trace: Trace
    ) -> None:
        self._parts = parts
        needed = {value.number for value in values_in(trace.result)}
        for part in later:
            needed.update(part.reads() if isinstance(part, Operation) else part.inputs)
            if isinstance(part, Group):
                needed.update(each for operation in part.operations for each in operation.reads())
        made: dict[int, int] = {}
        self._inputs: list[int] = []
        described = []
        for stage in stages:
            sources = [self._source(value, made) for value in stage.inputs]
            for value in stage.makes():
                made[value] = len(made)
            kept = [value in needed for value in stage.makes()]
            described.append((program(stage, trace), sources, kept))
        self._results = [value for value in made if value in needed]
        self._chain = _core.ChainRows(described)

    def _source(self, value: int, made: dict[int, int]) -> int:
        if value in made:
            return -1 - made[value]
        if value not in self._inputs:
            self._inputs.append(value)
        return self._inputs.index(value)

    def run(self, values: list[Any]) -> None:
        """Runs it."""
        results = self._chain.run([values[number] for number in self._inputs])
        if results is None:
            for part in self._parts:
                part.run(values)
            return
        for number, tensor in zip(self._results, results, strict=True):
            values[number] = tensor

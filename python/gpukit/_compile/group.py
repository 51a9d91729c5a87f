"""A group of operators that run as one chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpukit._compile.endings import Ending
from gpukit._compile.lowering import Step
from gpukit._compile.trace import Operation, Trace


@dataclass(frozen=True)
class Program:
    """Steps over numbered values, with the dtype of each."""

    inputs: list[int]
    steps: list[Step]
    results: list[int]
    dtypes: dict[int, Any]


def program_from(dtypes: list[Any], steps: list[Any], results: list[int]) -> Program:
    """As the core gives it: inputs come first, and a step is (name, operands, number, dtype)."""
    count = len(dtypes)
    made = [
        Step(name, operands, number, count + place)
        for place, (name, operands, number, _) in enumerate(steps)
    ]
    known = [*dtypes, *(step[-1] for step in steps)]
    return Program(list(range(count)), made, results, dict(enumerate(known)))


@dataclass
class Group:
    """Steps that run as one chain, and the operators that they are."""

    steps: list[Step]
    operations: list[Operation]
    inputs: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    chain: Any = None  # in a trace that records gradients, what runs it
    compiler: Any = None  # of its programs then, on GPUs

    def places(self) -> dict[int, int]:
        """The number of each value in the core: the inputs', then those of the steps."""
        values = [*self.inputs, *(step.value for step in self.steps)]
        return {value: place for place, value in enumerate(values)}

    def program(self, trace: Trace) -> Program:
        """Its steps, without its endings, as the core numbers values."""
        places, steps = self.places(), []
        for step in self.steps:
            operands = tuple(None if each is None else places[each] for each in step.operands)
            steps.append(Step(step.name, operands, step.number, places[step.value]))
        dtypes = {place: trace.facts[value].dtype for value, place in places.items()}
        results = [places[value] for value in self.results]
        return Program(list(range(len(self.inputs))), steps, results, dtypes)

    def makes(self) -> list[int]:
        """The values that it leaves behind: results, then those of its endings."""
        return [*self.results, *(ending.result for ending in self.endings)]

    def operations_of_endings(self) -> list[Operation]:
        """Its reductions."""
        ended = {ending.result for ending in self.endings}
        return [each for each in self.operations if ended.intersection(each.makes())]

    def operations_of_steps(self) -> list[Operation]:
        """All others."""
        ended = {ending.result for ending in self.endings}
        return [each for each in self.operations if not ended.intersection(each.makes())]

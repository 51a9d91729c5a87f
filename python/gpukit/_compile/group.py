"""A group of operators that run as one chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpukit._compile.endings import Ending
from gpukit._compile.lowering import Step
from gpukit._compile.trace import Operation


@dataclass
class Group:
    """Steps that run as one chain, and the operators that they are."""

    steps: list[Step]
    operations: list[Operation]
    inputs: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    chain: Any = None  # in a trace that records gradients, what runs it

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

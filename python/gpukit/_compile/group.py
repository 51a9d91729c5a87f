"""A group of operators that run as one chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpukit._compile.lowering import Step
from gpukit._compile.trace import Operation


@dataclass
class Group:
    """Steps that run as one chain, and the operators that they are."""

    steps: list[Step]
    operations: list[Operation]
    inputs: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    chain: Any = None  # in a trace that records gradients, what runs it

"""The records of a profile: calls on the host, and the GPU work that they caused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Kinds of calls.
OPERATOR, DERIVATIVE, RANGE, MODULE, WAIT = "operator", "derivative", "range", "module", "wait"


@dataclass(eq=False, slots=True)
class Call:
    """One call of a thread, from its begin to its end. Times are of time.perf_counter_ns().

    `sequence` numbers the operator that made a node of the graph; its derivative has the same one.
    Bytes are those allocated less those released meanwhile, inner calls included; so are `flops`.
    """

    kind: str
    name: str
    parent: Call | None
    number: int = 0
    start: int = 0
    end: int = 0
    place: tuple[str, int, str] = ("", 0, "")
    stack: list[str] = field(default_factory=list)
    shapes: list[Any] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    cpu_bytes: int = 0
    gpu_bytes: int = 0
    flops: float = 0.0
    sequence: int = -1
    work: list[DeviceWork] = field(default_factory=list)
    note: str = ""


@dataclass(eq=False, slots=True)
class DeviceWork:
    """Work of one stream of a GPU, in nanoseconds after the recorder's start.

    Of a real GPU: from the event before an operator's work to the one after it. Of a simulated
    one: a launch or a copy on its virtual clock, which is not a GPU time.
    """

    name: str
    device: int
    stream: int
    start: int
    end: int
    simulated: bool
    bytes: int = 0
    owner: Call | None = None

    @property
    def is_copy(self) -> bool:
        """True of what only moves bytes."""
        return self.name.startswith("copy")


@dataclass(slots=True)
class MemorySample:
    """Bytes allocated on the CPU (device -1) or a GPU at a moment."""

    when: int
    device: int
    total: int
    change: int

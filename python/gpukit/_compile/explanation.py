"""What gpukit.compile has made of a function, as text."""

from __future__ import annotations

from dataclasses import dataclass

from gpukit._compile.choice import engine_of
from gpukit._compile.group import Group
from gpukit._compile.grouping import Plan
from gpukit._compile.rows import runs_of_rows
from gpukit._compile.trace import Operation, Place, Trace
from gpukit._names.plural import count_of


@dataclass(frozen=True)
class GroupReport:
    """One group: its operators, and the bytes that it moves as operators and as one pass.

    `runs_as` says what computes it: tiles of the CPU, a kernel, or its operators, and why.
    """

    operators: tuple[str, ...]
    steps: int
    inputs: int
    results: int
    bytes_before: int
    bytes_after: int
    place: Place
    runs_as: str


@dataclass(frozen=True)
class Explanation:
    """What became of a function: the groups of its traces, and what stands between them.

    Attributes:
        groups: a GroupReport each.
        breaks: (operator, reason, file, line) of what ended a group.
        alone: names of the operators that run by themselves.
        rows: operators of groups over the same rows, which run together, block by block; what only
            they read is not moved, but counted in the bytes of the groups.
        bytes_before, bytes_after: moved by all operators that joined groups, at the traced shapes.
        fault: why the function runs eagerly; "" where it does not.
    """

    name: str
    traces: int
    groups: tuple[GroupReport, ...]
    breaks: tuple[tuple[str, str, str, int], ...]
    alone: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    fault: str

    @property
    def bytes_before(self) -> int:
        """Moved by the groups' operators one by one."""
        return sum(group.bytes_before for group in self.groups)

    @property
    def bytes_after(self) -> int:
        """Moved by the groups."""
        return sum(group.bytes_after for group in self.groups)

    def __str__(self) -> str:
        if self.fault:
            return f"{self.name} runs eagerly: {self.fault}"
        if not self.traces:
            return f"{self.name} has no trace yet: call it first, with no gradient recorded."
        traces, groups = count_of(self.traces, "trace"), count_of(len(self.groups), "group")
        lines = [f"{self.name}: {traces}, {groups}"]
        for number, group in enumerate(self.groups, 1):
            lines.append(
                f"  group {number} (line {group.place.line}): {' '.join(group.operators)}"
                f" — {group.bytes_before:,} bytes moved before, {group.bytes_after:,} after"
            )
            if group.runs_as != "tiles":
                lines.append(f"    runs as {group.runs_as}")
        lines += [f"  block by block of rows: {' '.join(names)}" for names in self.rows]
        if self.alone:
            lines.append(f"  alone: {' '.join(self.alone)}")
        lines += [
            f"  {name} ended a group: it {reason} ({file}, line {line})"
            for name, reason, file, line in self.breaks
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def to_svg(self) -> str:
        """Draw what each group moves, as operators and as one pass."""
        from gpukit._compile.traffic_picture import bars

        return bars(self.name, self.groups)

    def _repr_html_(self) -> str | None:  # as SVG a notebook would not give it its colours
        return self.to_svg() if self.groups else None


def explained(
    name: str, traces: list[tuple[Trace, Plan]], fault: str, backend: str | None
) -> Explanation:
    """The report of all traces."""
    groups: list[GroupReport] = []
    breaks: list[tuple[str, str, str, int]] = []
    alone: list[str] = []
    rows: list[tuple[str, ...]] = []
    for trace, plan in traces:
        together: set[int] = set()
        for place, stages in runs_of_rows(plan, trace) if backend in {None, "tiles"} else ():
            together.update(range(place, place + len(stages)))
            rows.append(tuple(each.name for stage in stages for each in stage.operations))
        groups += [_report(group, trace, backend) for group in plan.groups()]
        breaks += [
            (operation.name, reason, operation.place.file, operation.place.line)
            for operation, reason in plan.breaks
        ]
        parts = [part for place, part in enumerate(plan.parts) if place not in together]
        alone += [part.name for part in parts if isinstance(part, Operation)]
    parts_of = (tuple(groups), tuple(breaks), tuple(alone), tuple(rows))
    return Explanation(name, len(traces), *parts_of, fault)


def _report(group: Group, trace: Trace, backend: str | None) -> GroupReport:
    before = sum(
        trace.facts[number].nbytes
        for operation in group.operations
        for number in (*operation.reads(), *operation.makes())
    )
    after = sum(trace.facts[number].nbytes for number in (*group.inputs, *group.makes()))
    return GroupReport(
        tuple(operation.name for operation in group.operations),
        len(group.steps),
        len(group.inputs),
        len(group.makes()),
        before,
        after,
        group.operations[0].place,
        engine_of(group, trace, backend),
    )

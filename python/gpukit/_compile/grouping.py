"""Steps join groups, each of which is one pass over memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpukit._compile.bodies import opened
from gpukit._compile.decomposition import decomposed
from gpukit._compile.derivation import recorded_chain
from gpukit._compile.endings import MOST_ENDINGS, Ending, ending_of, why_no_ending
from gpukit._compile.group import Group
from gpukit._compile.guards import frozen
from gpukit._compile.lowering import Reason, Step, is_elementwise, lowered, same_value
from gpukit._compile.trace import Operation, Trace, Value, filled, values_in

MOST_STEPS, MOST_INPUTS, MOST_RESULTS = 48, 8, 4
# Where no gradient is recorded these give the elements that they are given.
_SAME_ELEMENTS = {"detach": "input", "with_slopes": "value"}


@dataclass
class Plan:
    """What a call does, in order; and why operators that compute stand alone."""

    parts: list[Operation | Group] = field(default_factory=list)
    breaks: list[tuple[Operation, str]] = field(default_factory=list)

    def groups(self) -> list[Group]:
        """The groups among the parts."""
        return [part for part in self.parts if isinstance(part, Group)]


def plan_of(trace: Trace) -> Plan:
    """Groups of as many operators as may run together, in an order that keeps every dependence."""
    return _Planner(trace).plan()


class _Planner:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.parts: list[Operation | Group] = []
        self.open: list[Group] = []
        self.breaks: list[tuple[Operation, str]] = []
        self.often_read: set[int] = set()

    def plan(self) -> Plan:
        """Goes over the operators in order."""
        operations = opened(self.trace.operations, self.trace)
        operations = decomposed(_without_copies_of_nothing(operations, self.trace), self.trace)
        all_steps = [lowered(operation, self.trace) for operation in operations]
        if self.trace.records:
            _lower_detach(operations, all_steps, self.trace)
            self.often_read = _often_read(operations, self.trace)
        for operation, steps in zip(operations, all_steps, strict=True):
            if isinstance(steps, Reason):
                if not self._ends_a_group(operation):
                    self._stands_alone(operation, steps)
            else:
                self._joins(operation, steps)
        self._close(self.open)
        needed = _needed(self.trace, self.parts)
        parts = [piece for part in self.parts for piece in self._cut(part, needed)]
        return Plan(parts, self.breaks)

    def _stands_alone(self, operation: Operation, reason: Reason) -> None:
        reads = set(operation.reads())
        closed = self.open if operation.changes or self._keeps_order(operation) else []
        closed = closed or self._that_make(reads)
        if closed:
            self.breaks.append((operation, why_no_ending(operation, self.trace) or reason.text))
        self._close(closed)
        self.parts.append(operation)

    def _ends_a_group(self, operation: Operation) -> bool:
        """Whether the operator is a reduction of what an open group makes; then it joins it."""
        ending = ending_of(operation, self.trace)
        if ending is None or ending.value in self.often_read:
            return False
        for group in self.open:
            if any(step.value == ending.value for step in group.steps):
                if not _takes_ending(group, ending):
                    return False
                if self.trace.records:
                    self._close([each for each in self.open if each is not group])
                group.endings.append(ending)
                group.operations.append(operation)
                return True
        return False

    def _joins(self, operation: Operation, steps: list[Step]) -> None:
        assert isinstance(operation.result, Value)
        facts = self.trace.facts[operation.result.number]
        read = set(operation.reads())
        self._close([each for each in self.open if read & _ended_in(each)])
        alike = [group for group in self.open if self._fits(group, facts.shape, facts.device)]
        reads = set(operation.reads())
        if self.trace.records:
            self._close([group for group in self.open if group not in alike])
        self._close([group for group in self._that_make(reads) if group not in alike])
        if alike:
            alike[0].steps += steps
            alike[0].operations.append(operation)
        else:
            self.open.append(Group(list(steps), [operation]))

    def _keeps_order(self, operation: Operation) -> bool:
        """Gradients are added up in the reverse order of the operators."""
        made = (self.trace.facts[number].requires_grad for number in operation.makes())
        return self.trace.records and any(made)

    def _fits(self, group: Group, shape: tuple[int, ...], device: object) -> bool:
        facts = self.trace.facts[group.steps[-1].value]
        return facts.shape == shape and facts.device == device

    def _that_make(self, values: set[int]) -> list[Group]:
        return [
            group
            for group in self.open
            if values & {step.value for step in group.steps} or values & _ended_in(group)
        ]

    def _close(self, groups: list[Group]) -> None:
        for group in list(groups):
            self.open.remove(group)
            self.parts.append(group)

    def _cut(self, part: Operation | Group, needed: set[int]) -> Sequence[Operation | Group]:
        if isinstance(part, Operation):
            return [part]
        endings = part.operations_of_endings()
        cutter = _Cutter(self.trace, part, needed)
        pieces = cutter.pieces()
        if endings and len(pieces) == 1 and self._end(pieces[0], part.endings, endings):
            return pieces
        if endings:  # too long for one pass, or not to be derived with them
            cutter = _Cutter(self.trace, part, needed | {each.value for each in part.endings})
            return [*self._plain(cutter), *endings]
        return self._plain(cutter)

    def _plain(self, cutter: _Cutter) -> Sequence[Operation | Group]:
        pieces = cutter.pieces()
        if self.trace.records:
            pieces = [each for piece in pieces for each in cutter.recorded(piece)]
        return [each for piece in pieces for each in _as_parts(piece)]

    def _end(self, piece: Group, endings: list[Ending], operations: list[Operation]) -> bool:
        """Gives the group its endings, unless it is too large for a pass or a derivative."""
        piece.endings = endings
        piece.operations = [*piece.operations, *operations]
        if not _is_small(piece):
            return False
        if self.trace.records:
            piece.chain = recorded_chain(piece, self.trace)
        return not self.trace.records or piece.chain is not None


def _often_read(operations: list[Operation], trace: Trace) -> set[int]:
    """Values with several readers: their gradients are added up in the order of these."""
    read: set[int] = set()
    often = {value.number for value in values_in(trace.result)}
    for operation in operations:
        values = operation.reads()
        often |= read.intersection(values)
        read.update(values)
    return often


def _takes_ending(group: Group, ending: Ending) -> bool:
    alike = all(each.dims == ending.dims for each in group.endings)
    return alike and len(group.endings) < MOST_ENDINGS


def _ended_in(group: Group) -> set[int]:
    return {ending.result for ending in group.endings}


def _as_parts(piece: Group) -> Sequence[Operation | Group]:
    """One operator alone gains nothing, nor does a group whose results nobody reads."""
    worth = len(piece.operations) > 1 and piece.results
    return [piece] if worth else piece.operations


class _Cutter:
    """Cuts a long run of operators where the least is moved between the pieces."""

    def __init__(self, trace: Trace, group: Group, needed: set[int]) -> None:
        self.trace, self.needed, self.operations = trace, needed, group.operations_of_steps()
        self.steps_of = _steps_by_operation(group)
        self.last_read: dict[int, int] = {}
        for number, each in enumerate(self.steps_of):
            for step in each:
                for value in step.reads():
                    self.last_read[value] = number

    def pieces(self) -> list[Group]:
        """The cheapest way: least[i] is that of the first i operators."""
        count = len(self.operations)
        if _is_small(whole := self._group(0, count)):
            return [whole]
        least: list[tuple[int, int]] = [(0, 0)] + [(0, -1)] * count
        for end in range(1, count + 1):
            best: tuple[int, int] | None = None
            for first in range(end - 1, max(-1, end - MOST_STEPS - 1), -1):
                group = self._group(first, end)
                if not _is_small(group) and first < end - 1:
                    break
                cost = least[first][0] + self._moved(group)
                if best is None or cost <= best[0]:
                    best = (cost, first)
            assert best is not None
            least[end] = best
        found: list[Group] = []
        end = count
        while end > 0:
            first = least[end][1]
            found.append(self._group(first, end))
            end = first
        return found[::-1]

    def recorded(self, piece: Group) -> list[Group]:
        """The piece with its derivative, in as many parts as derivatives that fit ask for."""
        count = len(piece.operations)
        if count == 1 or not piece.results:
            return [piece]
        piece.chain = recorded_chain(piece, self.trace) if _is_small(piece) else None
        if piece.chain is not None:
            return [piece]
        first = next(i for i, each in enumerate(self.operations) if each is piece.operations[0])
        middle = first + count // 2
        halves = (self._group(first, middle), self._group(middle, first + count))
        return [each for half in halves for each in self.recorded(half)]

    def _group(self, first: int, end: int) -> Group:
        steps = [step for each in self.steps_of[first:end] for step in each]
        made = {step.value for step in steps}
        inputs: dict[int, None] = {}
        for step in steps:
            for value in step.reads():
                if value not in made:
                    inputs[value] = None
        results = [
            step.value
            for step in steps
            if step.value in self.needed or self.last_read.get(step.value, -1) >= end
        ]
        return Group(steps, self.operations[first:end], list(inputs), results)

    def _moved(self, group: Group) -> int:
        return sum(self.trace.facts[value].nbytes for value in group.inputs + group.results) + 1


def _is_small(group: Group) -> bool:
    return (
        len(group.steps) <= MOST_STEPS
        and len(group.inputs) <= MOST_INPUTS
        and len(group.results) <= MOST_RESULTS
    )


def _steps_by_operation(group: Group) -> list[list[Step]]:
    """The steps of each operator: up to the one that makes its result."""
    found: list[list[Step]] = []
    waiting: list[Step] = []
    results = {operation.makes()[0] for operation in group.operations_of_steps()}
    for step in group.steps:
        waiting.append(step)
        if step.value in results:
            found.append(waiting)
            waiting = []
    return found


def _needed(trace: Trace, parts: list[Operation | Group]) -> set[int]:
    """Values that are read outside of the group that makes them."""
    needed = {value.number for value in values_in(trace.result)}
    for part in parts:
        if isinstance(part, Operation):
            needed.update(part.reads())
        else:
            made = {step.value for step in part.steps}
            for step in part.steps:
                needed.update(value for value in step.reads() if value not in made)
    return needed


def _without_copies_of_nothing(operations: list[Operation], trace: Trace) -> list[Operation]:
    """The operators without `detach`, and each elementwise one once, if nothing writes."""
    if trace.records or any(operation.changes for operation in operations):
        return operations
    same: dict[int, int] = {}
    computed: dict[object, int] = {}
    result = {value.number for value in values_in(trace.result)}
    kept: list[Operation] = []
    for operation in operations:
        operation.arguments = _renamed(operation.arguments, same, trace)
        given = operation.arguments.get(_SAME_ELEMENTS.get(operation.name, ""))
        made = operation.result
        known = given.number if isinstance(given, Value) else _computed(operation, computed)
        if known is not None and isinstance(made, Value) and made.number not in result:
            same[made.number] = known
        else:
            kept.append(operation)
    return kept


def _computed(operation: Operation, computed: dict[object, int]) -> int | None:
    """What the same operator has made of the same before; else it is noted."""
    if not is_elementwise(operation.name) or not isinstance(operation.result, Value):
        return None
    arguments = operation.arguments.items()
    key = [(name, each if isinstance(each, Value) else frozen(each)) for name, each in arguments]
    number = operation.result.number
    found = computed.setdefault((operation.name, *key), number)
    return found if found != number else None


def _lower_detach(
    operations: list[Operation], all_steps: list[list[Step] | Reason], trace: Trace
) -> None:
    """Makes steps of `detach` where only steps read the result, which may share no memory then."""
    shared = {value.number for value in values_in(trace.result)}
    for operation, steps in zip(operations, all_steps, strict=True):
        if isinstance(steps, Reason) and operation.name != "detach":
            shared.update(operation.reads())
    for place, operation in enumerate(operations):
        if operation.name == "detach" and not shared.intersection(operation.makes()):
            all_steps[place] = same_value(operation, "input")


def _renamed(arguments: dict[str, object], same: dict[int, int], trace: Trace) -> dict[str, object]:
    if not same:
        return arguments
    names = [Value(same.get(number, number)) for number in range(len(trace.facts))]
    renamed: dict[str, object] = filled(arguments, names)
    return renamed

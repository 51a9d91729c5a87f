"""Draw, run, compare, count: in this process, or for long in children whose crashes are seen."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .arguments import Array, Call, snippet
from .calls import draw_call, wants_out, with_out, without_out
from .catalogue import Row
from .comparison import Difference, Judge, true_outcome
from .differences import documented
from .outcome import Library, Outcome, outcome

SIMULATED_SHARE = 0.1


@dataclass
class Finding:
    """A difference that no row explains."""

    seed: int
    number: int
    call: Call
    found: Difference
    device: str = "cpu"

    def __str__(self) -> str:
        mine = "gpukit.array_api" if self.call.library == "numpy" else "gpukit"
        return (
            f"seed {self.seed}, call {self.number}, {self.call.row} on {self.device}\n  {self.found}\n"
            f"{_indented(snippet(self.call, mine, self.device))}\n  # and with `import {self.call.library} as m`"
        )


def _indented(text: str) -> str:
    lines = [line if len(line) < 400 else line[:400] + " …" for line in text.splitlines()]
    return "\n".join(f"    {line}" for line in lines)


@dataclass
class Tally:
    """What a run counted."""

    calls: int = 0
    values: int = 0
    errors: int = 0
    gradients: int = 0
    simulated: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


class Runner:
    """Runs calls of one seed."""

    def __init__(
        self, seed: int, among: tuple[Row, ...] | None = None, *, simulated: bool = True
    ) -> None:
        self.seed, self.among = seed, among
        self.tally = Tally()
        self.mine = {"torch": Library("gpukit"), "numpy": Library("gpukit.array_api")}
        self.peers = {"torch": Library("torch"), "numpy": Library("numpy")}
        self.simulated = Library("gpukit", "cuda:0") if simulated else None

    def announce(self, to: Callable[[str], None]) -> None:
        """Say which library is called before it is, so that a crash is its own."""
        for library in (*self.mine.values(), *self.peers.values(), self.simulated):
            if library is not None:
                library.announce = to

    def run(self, numbers: Iterator[int] | range) -> Tally:
        """Make these calls and count."""
        for number in numbers:
            self.one(number)
        return self.tally

    def one(self, number: int) -> list[Finding]:
        """One call; its findings."""
        call, row = draw_call(self.seed, number, self.among)
        peer = self.peers[row.library]
        if wants_out(call):
            call = self._drawn_out(call, peer, number)
        tally = self.tally
        tally.calls += 1
        tally.rows[row.key] += 1
        theirs, mine = outcome(call, peer), outcome(call, self.mine[row.library])
        tally.errors += theirs.error is not None
        tally.values += theirs.error is None
        tally.gradients += theirs.gradients is not None
        judge = Judge(call, row.near, lambda: true_outcome(call, peer))
        found = self._judged(call, judge.difference(mine, theirs), number, "cpu")
        chosen = random.Random(f"device {self.seed}:{number}").random() < SIMULATED_SHARE
        if self.simulated and chosen and row.library == "torch":
            tally.simulated += 1
            found += self._on_device(call, row, mine, number)
        return found

    def _drawn_out(self, call: Call, peer: Library, number: int) -> Call:
        plain = outcome(without_out(call), peer)
        leaves = plain.leaves()
        if plain.error or len(leaves) != 1:
            return without_out(call)
        rng = random.Random(f"out {self.seed}:{number}")
        return with_out(call, rng, leaves[0].dtype, leaves[0].values.shape)

    def _on_device(self, call: Call, row: Row, expected: Outcome, number: int) -> list[Finding]:
        assert self.simulated is not None
        got = outcome(call, self.simulated)
        with contextlib.suppress(Exception):
            self.simulated.module.cuda.synchronize()  # an index found late belongs to this call
        near = {"exact": "exact", "repeats": "choice"}.get(row.near, row.near)
        truth = lambda: true_outcome(call, self.peers["torch"])  # noqa: E731
        judge = Judge(call, near, truth, "cuda:0")
        found = judge.difference(got, expected)
        return self._judged(call, found, number, "cuda:0")

    def _judged(
        self, call: Call, found: Difference | None, number: int, device: str
    ) -> list[Finding]:
        if found is None:
            return []
        row = documented(call, found, device)
        if row is not None:
            self.tally.explained[row.name] += 1
            return []
        finding = Finding(self.seed, number, call, found, device)
        self.tally.findings.append(finding)
        return [finding]


def shrunk(finding: Finding, runner: Runner, row: Row) -> Call:
    """The call with fewer keywords and smaller tensors, as long as the same kind of difference stays."""
    call = finding.call

    def differs(candidate: Call) -> bool:
        peer, mine = runner.peers[row.library], runner.mine[row.library]
        judge = Judge(candidate, row.near, lambda: true_outcome(candidate, peer))
        found = judge.difference(outcome(candidate, mine), outcome(candidate, peer))
        return found is not None and found.what.split()[0] == finding.found.what.split()[0]

    for key in list(call.keywords):
        fewer = call.with_values(
            call.arguments, {k: v for k, v in call.keywords.items() if k != key}
        )
        call = fewer if differs(fewer) else call
    for place, value in enumerate(call.arguments):
        for simpler in _simpler(value):
            arguments = [*call.arguments[:place], simpler, *call.arguments[place + 1 :]]
            candidate = call.with_values(arguments, call.keywords)
            if differs(candidate):
                call = candidate
    return call


def _simpler(value: object) -> Iterator[Array]:
    if not isinstance(value, Array):
        return
    if value.requires_grad:
        yield Array(value.dtype, value.data, value.views, False, value.is_index)
    if value.views:
        yield Array(value.dtype, value.data, (), value.requires_grad, value.is_index)
    for axis, size in enumerate(value.data.shape):
        if size > 1:
            yield Array(
                value.dtype, value.data.take([0], axis), (), value.requires_grad, value.is_index
            )

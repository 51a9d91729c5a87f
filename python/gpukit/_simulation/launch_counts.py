"""The simulator's counts of a PTX launch: counts need no hardware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_KERNEL_BYTES = 4096


class SectorCounts(NamedTuple):
    """Requests of warps for global memory, in sectors of 32 bytes.

    Attributes:
        requests: one for each instruction that a warp ran.
        sectors_asked: those that hold a byte of a request: what a card moves.
        sectors_used: as few as could hold the bytes of each request.
        bytes: that the threads read or wrote; of one request each byte once.
    """

    requests: int = 0
    sectors_asked: int = 0
    sectors_used: int = 0
    bytes: int = 0


class LaunchCounts(NamedTuple):
    """Counts of one launch, or the sums of several. None of them is a time.

    Attributes:
        kernel: its name; of several launches the names, joined by ", ".
        launches: how many launches these are the sums of.
        blocks, threads: of the grid, and of a block.
        instructions: of warps, by class: integer, float, half, double, special, conversion, move,
            memory, atomic, warp, control, barrier, tensor. They are PTX's, not a card's.
        thread_instructions: the same, once for each thread that took part.
        global_reads, global_writes, global_atomics: SectorCounts.
        shared_requests, local_requests: of warps.
        bank_conflicts: turns of shared memory's 32 banks beyond the fewest that are needed.
        branches, divergent_branches: of warps; the latter with lanes on both paths.
        registers: of a thread, estimated.
        shared_bytes: of a block.
        resident_blocks, resident_warps, most_resident_warps: of a multiprocessor at a time.
    """

    kernel: str
    launches: int
    blocks: int
    threads: int
    instructions: dict[str, int]
    thread_instructions: int
    global_reads: SectorCounts
    global_writes: SectorCounts
    global_atomics: SectorCounts
    shared_requests: int
    bank_conflicts: int
    local_requests: int
    branches: int
    divergent_branches: int
    registers: int
    shared_bytes: int
    resident_blocks: int
    resident_warps: int
    most_resident_warps: int

    @property
    def sectors_asked(self) -> int:
        """Of all requests for global memory."""
        return sum(part.sectors_asked for part in self._global())

    @property
    def sectors_used(self) -> int:
        """Of all requests for global memory."""
        return sum(part.sectors_used for part in self._global())

    @property
    def sector_efficiency(self) -> float:
        """Sectors used divided by sectors requested, 0 to 1; 1 if none was requested."""
        return self.sectors_used / self.sectors_asked if self.sectors_asked else 1.0

    @property
    def occupancy(self) -> float:
        """Resident warps of the most that a multiprocessor has, 0 to 1."""
        return self.resident_warps / self.most_resident_warps if self.most_resident_warps else 0.0

    @property
    def warp_instructions(self) -> int:
        """Of all classes."""
        return sum(self.instructions.values())

    def _global(self) -> tuple[SectorCounts, ...]:
        return self.global_reads, self.global_writes, self.global_atomics

    def to_dict(self) -> dict[str, Any]:
        """All counts, the shares that follow from them, and the sentence."""
        fields = self._asdict()
        for name in ("global_reads", "global_writes", "global_atomics"):
            fields[name] = getattr(self, name)._asdict()
        derived = ("warp_instructions", "sectors_asked", "sectors_used")
        fields |= {name: getattr(self, name) for name in derived}
        fields |= {"sector_efficiency": self.sector_efficiency, "occupancy": self.occupancy}
        return {**fields, "sentence": self.sentence()}

    def sentence(self) -> str:
        """The counts in words.

        Example:
            >>> from gpukit._simulation.launch_counts import from_values
            >>> from_values("saxpy", {"global_reads.sectors_asked": 8}).sentence()[:60]
            '1 launch: 0 instructions of warps, 0 % of 8 sectors used, no'
        """
        launches = "1 launch" if self.launches == 1 else f"{self.launches} launches"
        conflicts = self.bank_conflicts or "no"
        divergent = self.divergent_branches or "no"
        return (
            f"{launches}: {self.warp_instructions} instructions of warps, "
            f"{100 * self.sector_efficiency:.0f} % of {self.sectors_asked} sectors used, "
            f"{conflicts} bank conflicts, {divergent} divergent branches, "
            f"occupancy {100 * self.occupancy:.0f} %"
        )


def from_values(kernel: str, values: dict[str, int]) -> LaunchCounts:
    """One launch from the simulator's values, by name; missing counts are 0."""
    parts: dict[str, dict[str, int]] = {}
    plain: dict[str, int] = {}
    for name, value in values.items():
        group, _, rest = name.partition(".")
        if rest:
            parts.setdefault(group, {})[rest] = value
        else:
            plain[name] = value
    fields: dict[str, Any] = {name: plain.get(name, 0) for name in LaunchCounts._fields}
    for name in ("global_reads", "global_writes", "global_atomics"):
        fields[name] = SectorCounts(**parts.get(name, {}))
    fields |= {"kernel": kernel, "launches": 1, "instructions": parts.get("instructions", {})}
    return LaunchCounts(**fields)


def total(launches: Sequence[LaunchCounts]) -> LaunchCounts | None:
    """The sums of several launches; of what has no sum the largest, of occupancy the least."""
    if not launches:
        return None
    least = min(launches, key=lambda one: one.occupancy)
    fields: dict[str, Any] = {}
    for name in LaunchCounts._fields:
        of_each = [getattr(one, name) for one in launches]
        if name == "kernel":
            fields[name] = ", ".join(dict.fromkeys(of_each))
        elif name == "instructions":
            fields[name] = {kind: sum(one[kind] for one in of_each) for kind in of_each[0]}
        elif name.startswith("global_"):
            fields[name] = SectorCounts(*(sum(column) for column in zip(*of_each, strict=True)))
        elif name in {"resident_blocks", "resident_warps", "most_resident_warps"}:
            fields[name] = getattr(least, name)
        elif name in {"threads", "registers", "shared_bytes"}:
            fields[name] = max(of_each)
        else:
            fields[name] = sum(of_each)
    return LaunchCounts(**fields)


def read(library: Any, event: int) -> LaunchCounts | None:
    """The counts of an event of the simulator's log; None until its launch has ended."""
    import ctypes

    library.gpukitSimCountNames.restype = ctypes.c_char_p
    library.gpukitSimCounts.restype = ctypes.c_uint64
    names = library.gpukitSimCountNames().decode().split("\n")
    values = (ctypes.c_uint64 * len(names))()
    kernel = ctypes.create_string_buffer(_KERNEL_BYTES)
    room, kernel_room = ctypes.c_uint64(len(names)), ctypes.c_uint64(_KERNEL_BYTES)
    if library.gpukitSimCounts(ctypes.c_uint64(event), values, room, kernel, kernel_room) == 0:
        return None
    return from_values(kernel.value.decode(errors="replace"), dict(zip(names, values, strict=True)))

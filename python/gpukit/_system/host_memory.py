"""The host's memory: what there is, what a container or a job may have, what is left."""

from __future__ import annotations

import re
from dataclasses import dataclass

TYPE_CHECKING = False  # as in _device
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpukit._system.machine import Machine

_FIELDS = (
    ("total", "MemTotal"),
    ("available", "MemAvailable"),
    ("swap", "SwapTotal"),
    ("swap_free", "SwapFree"),
)
# Of a control group, in its two versions: where its folders begin, its limit and use, and what
# precedes the names of its cached files.
_ROOTS = {2: "/sys/fs/cgroup", 1: "/sys/fs/cgroup/memory"}
_FILES = {
    2: ("memory.max", "memory.current", ""),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
}
_DEPTH = 32  # folders above a group that are looked into
# A load below this is not worth reading files for.
LARGE = 256 << 20


def memory_of(machine: Machine) -> dict[str, int]:
    """Bytes: total, available, swap, swap_free; limit and used of the control group, if it has.

    Of several groups, one in the other, the one with the least left; cache that the system can
    drop is not in use. `space` and `space_used` are the process's address space, if it is limited.
    """
    found = dict(re.findall(r"^(\w+):\s+(\d+) kB", machine.read("/proc/meminfo"), re.MULTILINE))
    memory = {key: int(found[name]) * 1024 for key, name in _FIELDS if name in found}
    groups = [(limit - used, limit, used) for limit, used in _groups(machine)]
    if groups:
        _, memory["limit"], memory["used"] = min(groups)
    space = re.search(
        r"^Max address space +(\d+) ", machine.read("/proc/self/limits"), re.MULTILINE
    )
    used = re.search(r"^VmSize:\s+(\d+) kB", machine.read("/proc/self/status"), re.MULTILINE)
    if space and used:
        memory["space"], memory["space_used"] = int(space[1]), int(used[1]) * 1024
    return memory


def _groups(machine: Machine) -> Iterator[tuple[int, int]]:
    """(limit, used) of this process's control group and of those around it that have a limit."""
    named = re.findall(
        r"^(\d+):([^:\n]*):(/[^\n]*)$", machine.read("/proc/self/cgroup"), re.MULTILINE
    )
    own = {
        2 if number == "0" else 1: place
        for number, controllers, place in named
        if number == "0" or "memory" in controllers.split(",")
    }
    for version, root in _ROOTS.items():
        limit_file, used_file, prefix = _FILES[version]
        place = own.get(version, "/").rstrip("/")
        # Inside a container the name may be the host's: then only the root is there.
        for _ in range(_DEPTH):
            folder = root + place
            limit = machine.read(f"{folder}/{limit_file}")
            used = machine.read(f"{folder}/{used_file}")
            # Version 1 writes nearly 2**63 where there is no limit.
            if limit.isdigit() and used.isdigit() and int(limit) < 1 << 60:
                stat = machine.read(f"{folder}/memory.stat")
                # Files read once are inactive, those read twice active: both can be dropped.
                cached = re.findall(rf"^{prefix}(?:in)?active_file (\d+)$", stat, re.MULTILINE)
                yield int(limit), max(0, int(used) - sum(map(int, cached)))
            if not place:
                break
            place = place.rpartition("/")[0]


@dataclass(frozen=True)
class Shortage:
    """Why bytes may not fit, as a clause, and whether asking for them raises a MemoryError.

    Otherwise the system may end the process when they are written.
    """

    reason: str
    raises: bool = False


def shortage(needed: int, memory: dict[str, int]) -> Shortage | None:
    """Of so many bytes; None if they fit or nothing is known."""
    from gpukit.report.text import bytes_text

    limit, used = memory.get("limit"), memory.get("used")
    if limit is not None and used is not None and needed > limit - used:
        left = bytes_text(max(0, limit - used))
        limited = f"{left} are left of the limit of {bytes_text(limit)} of this container or job"
        return Shortage(limited)
    space, used = memory.get("space"), memory.get("space_used")
    if space is not None and used is not None and needed > space - used:
        left = bytes_text(max(0, space - used))
        limited = f"{left} are left of the limit of {bytes_text(space)} of this process (ulimit -v)"
        return Shortage(limited, raises=True)
    available = memory.get("available")
    if available is None or needed <= available + memory.get("swap_free", 0):
        return None
    if not memory.get("swap"):
        return Shortage(f"{bytes_text(available)} of memory are free, and there is no swap")
    swap = bytes_text(memory.get("swap_free", 0))
    return Shortage(f"{bytes_text(available)} of memory and {swap} of swap are free")


def kept_by_gpukit() -> int:
    """Bytes that gpukit's own pool holds for new tensors: they count as used, and are not."""
    from gpukit import _core

    pool = _core.memory_stats(_core.device("cpu"))
    return int(pool["reserved_bytes"] - pool["allocated_bytes"])


def warn_before(function: str, what: str, needed: int) -> None:
    """Warn if a load of so many bytes may end the process: the system does so silently."""
    if needed < LARGE:
        return
    from gpukit._system.machine import Machine

    found = shortage(needed - kept_by_gpukit(), memory_of(Machine()))
    if found is not None:
        import warnings

        from gpukit._language import told
        from gpukit.errors import GpukitWarning
        from gpukit.report.text import bytes_text

        size, reason = bytes_text(needed), found.reason
        if found.raises:
            text = (
                f"{function}: {what} has {size}, but {reason}: this ends in a MemoryError. Raise "
                "the limit, or free memory first."
            )
        else:
            text = (
                f"{function}: {what} has {size}, but {reason}: the system may end this process "
                "without a message. Use mmap=True, load onto a GPU, or free memory first."
            )
        warnings.warn(GpukitWarning(told(text)), stacklevel=3)

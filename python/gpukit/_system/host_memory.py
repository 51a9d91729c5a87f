"""The host's memory: what there is, what a container or a job may have, what is left."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # as in _device
if TYPE_CHECKING:
    from gpukit._system.machine import Machine

_FIELDS = (
    ("total", "MemTotal"),
    ("available", "MemAvailable"),
    ("swap", "SwapTotal"),
    ("swap_free", "SwapFree"),
)
# Of the control group, in its two versions.
_GROUP = (
    ("limit", ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")),
    ("used", ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)
# A load below this is not worth reading files for.
LARGE = 256 << 20


def memory_of(machine: Machine) -> dict[str, int]:
    """Bytes: total, available, swap, swap_free; limit and used of the control group, if it has."""
    found = dict(re.findall(r"^(\w+):\s+(\d+) kB", machine.read("/proc/meminfo"), re.MULTILINE))
    memory = {key: int(found[name]) * 1024 for key, name in _FIELDS if name in found}
    for key, places in _GROUP:
        values = [value for value in map(machine.read, places) if value.isdigit()]
        # Version 1 writes nearly 2**63 where there is no limit.
        if values and int(values[0]) < 1 << 60:
            memory[key] = int(values[0])
    return memory


def too_large(needed: int, memory: dict[str, int]) -> str:
    """Why so many bytes may not fit, as a clause; "" if they do or nothing is known."""
    from gpukit.report.text import bytes_text

    limit, used = memory.get("limit"), memory.get("used")
    if limit is not None and used is not None and needed > limit - used:
        left = bytes_text(max(0, limit - used))
        return f"{left} are left of the limit of {bytes_text(limit)} of this container or job"
    available = memory.get("available")
    if available is None or needed <= available + memory.get("swap_free", 0):
        return ""
    if not memory.get("swap"):
        return f"{bytes_text(available)} of memory are free, and there is no swap"
    swap = bytes_text(memory.get("swap_free", 0))
    return f"{bytes_text(available)} of memory and {swap} of swap are free"


def warn_before(function: str, what: str, needed: int) -> None:
    """Warn if a load of so many bytes may end the process: the system does so silently."""
    if needed < LARGE:
        return
    from gpukit._system.machine import Machine

    reason = too_large(needed, memory_of(Machine()))
    if reason:
        import warnings

        from gpukit._language import told
        from gpukit.errors import GpukitWarning
        from gpukit.report.text import bytes_text

        text = (
            f"{function}: {what} has {bytes_text(needed)}, but {reason}: the system may end this "
            "process without a message. Use mmap=True, load onto a GPU, or free memory first."
        )
        warnings.warn(GpukitWarning(told(text)), stacklevel=3)

"""Memory of the GPU and of the host."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import (
    ADMIN,
    DEGRADED,
    INFORMATION,
    KERNEL,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence
from gpukit.report.text import bytes_text

_SWAP = (
    "sudo fallocate -l 8G /swapfile",
    "sudo chmod 600 /swapfile",
    "sudo mkswap /swapfile",
    "sudo swapon /swapfile",
)


def _readings(evidence: Evidence) -> list[tuple[int, int, int, int]]:
    """(index, total, free, bytes of known processes) of each GPU whose memory NVML reports."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    return [
        (int(g.get("index", 0)), int(g["memory_total"]), int(g["memory_free"]),
         int(g.get("memory_of_processes") or 0))
        for g in gpus
        if g.get("memory_total") and g.get("memory_free") is not None
    ]  # fmt: skip


@check(
    "oom-other-process",
    Layer.USE,
    DEGRADED,
    "Other processes hold most of a GPU's memory.",
    Fix("End idle notebooks (the Running tab), or choose another GPU: gpukit smi shows who it is."),
)
def other_process(evidence: Evidence) -> list[str]:
    """Little is free, and known processes account for it."""
    return [
        f"GPU {index}: {bytes_text(free)} of {bytes_text(total)} is free; processes hold "
        f"{bytes_text(known_bytes)}"
        for index, total, free, known_bytes in _readings(evidence)
        if free < total * 0.2 and known_bytes > total * 0.3
    ]


@check(
    "ghost-memory",
    Layer.USE,
    DEGRADED,
    "Memory of a GPU is in use, and no process is shown that holds it.",
    Fix(
        "Look for it; in a container the process may be outside: restart the container.",
        ("sudo fuser -v /dev/nvidia*",),
        who=ADMIN,
    ),
)
def ghost(evidence: Evidence) -> list[str]:
    """More than 500 MiB beyond what processes hold."""
    limit = 500 << 20
    return [
        f"GPU {index}: {bytes_text(total - free - known_bytes)} without an owner"
        for index, total, free, known_bytes in _readings(evidence)
        if total - free - known_bytes > limit + total // 20
    ]


known(
    "oom-fragmentation",
    Layer.USE,
    DEGRADED,
    "torch holds memory that it cannot hand out in one piece.",
    Fix(
        "Set this before Python starts; it does not cure every case. Smaller batches do.",
        ("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",),
        restart=KERNEL,
    ),
)


@check(
    "oom-exception-holds-frames",
    Layer.USE,
    INFORMATION,
    "The last exception of this session still holds its variables, and so their memory.",
    Fix("Let go of it.", ("gpukit.cuda.empty_cache()", "del sys.last_traceback")),
)
def exception_frames(evidence: Evidence) -> list[str]:
    """The traceback that IPython keeps after an out-of-memory error."""
    return ["sys.last_traceback of an out-of-memory error"] if evidence.own.kept_traceback else []


@check(
    "no-swap",
    Layer.USE,
    INFORMATION,
    "The machine has little memory and no swap: a large load ends the process silently.",
    Fix("Make a swap file.", _SWAP, who=ADMIN),
)
def no_swap(evidence: Evidence) -> list[str]:
    """Less than 16 GiB and no swap, on a machine of one's own."""
    memory = evidence.memory
    inside = evidence.platform.container or evidence.platform.hosted
    if inside or "total" not in memory or memory.get("swap", 0) or memory["total"] >= 16 << 30:
        return []
    return [f"{bytes_text(memory['total'])} of memory", "SwapTotal is 0"]


@check(
    "memory-limit-near",
    Layer.USE,
    DEGRADED,
    "The host's memory is nearly used up.",
    Fix("Close other notebooks, load less at a time, or make swap.", _SWAP, who=ADMIN),
)
def limit_near(evidence: Evidence) -> list[str]:
    """The control group's limit, else what is available."""
    memory = evidence.memory
    limit, used = memory.get("limit"), memory.get("used")
    if limit and used is not None and limit - used < limit // 10:
        return [f"{bytes_text(used)} of the limit of {bytes_text(limit)} are in use"]
    total, available = memory.get("total"), memory.get("available")
    if total and available is not None and available < total // 20:
        return [f"{bytes_text(available)} of {bytes_text(total)} are available"]
    return []

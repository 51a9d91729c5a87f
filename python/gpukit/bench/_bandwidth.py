"""`bench.bandwidth`: how fast bytes move between host and device, and what that costs in work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import gpukit
from gpukit.bench._peaks import peaks, table_peaks
from gpukit.bench.case import one_device
from gpukit.bench.measuring import median_seconds
from gpukit.bench.options import check_count, quick
from gpukit.bench.standard import no_gpu_note
from gpukit.bench.tables import ResultTable, percent_text, plain_rate
from gpukit.report import Column, Progress, bytes_text, duration_text

_DIRECTIONS = ("h2d", "d2h", "d2d")
_SIZES = tuple(4096 * 4**step for step in range(8))  # 4 KiB to 64 MiB
_PINNED = {True: (True,), False: (False,), "both": (False, True)}


class BandwidthTable(ResultTable):
    """Copies by direction, kind of host memory and size.

    Attributes:
        flops_per_float: floating-point operations in the time that one float32 is moved.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     table = gpukit.bench.bandwidth(sizes=[1 << 16])
        >>> type(table).__name__
        'BandwidthTable'
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("kind", "copy"),
        Column("bytes", "size", bytes_text, numeric=True),
        Column("seconds", "time", duration_text, numeric=True),
        Column("gbps", "GB/s", plain_rate, numeric=True),
        Column("share", "of link", percent_text, numeric=True),
        Column("error", "failed"),
    )

    @property
    def flops_per_float(self) -> float | None:
        """Floating-point operations in the time that one float32 is moved to the device."""
        return self.facts.get("flops_per_float")

    def best(self, kind: str) -> float | None:
        """The highest GB/s of a kind such as "h2d pinned"."""
        return max(
            (r["gbps"] for r in self.rows if r["kind"] == kind and r.get("gbps")), default=None
        )


def _copies(device: Any, size: int, direction: str, pinned: bool) -> tuple[Callable[[], Any], Any]:
    """The call that copies `size` bytes once, and its target."""
    on_device = gpukit.empty(size, dtype="uint8", device=device)
    if direction == "d2d":
        source = gpukit.ones(size, dtype="uint8", device=device)
        return (lambda: on_device.copy_(source)), on_device
    on_host = gpukit.ones(size, dtype="uint8", pin_memory=pinned)
    if direction == "h2d":
        return (lambda: on_device.copy_(on_host, non_blocking=pinned)), on_device
    on_device.fill_(1)
    on_host.zero_()
    return (lambda: on_host.copy_(on_device, non_blocking=pinned)), on_host


def _kinds(device: Any, directions: Sequence[str], pinned: Any) -> list[tuple[str, str, bool]]:
    """(label, direction, pinned) of every row of a size."""
    if device.type == "cpu":
        return [("host to host", "d2d", False)]
    labels = {False: "pageable", True: "pinned"}
    kinds = [
        (f"{direction} {labels[pin]}", direction, pin)
        for direction in directions
        if direction != "d2d"
        for pin in _PINNED[pinned]
    ]
    return kinds + [("d2d", "d2d", False)] * ("d2d" in directions)


def _row(device: Any, label: str, direction: str, pinned: bool, size: int) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": label, "bytes": size, "direction": direction, "pinned": pinned}
    try:
        copy, target = _copies(device, size, direction, pinned)
        row["seconds"] = median_seconds(copy, device, quick(0.3).plan)
        if not bool((target == 1).all()):
            row["error"] = "the copy is not equal to its source"
            return row
    except (gpukit.GpukitError, MemoryError) as error:
        row["error"] = f"{type(error).__name__}: {error}"
        return row
    row["gbps"] = size / row["seconds"] / 1e9
    return row


def _link(device: Any) -> float | None:
    return None if device.type == "cpu" else peaks(device).link


def _source(device: Any) -> str:
    listed = table_peaks(gpukit.cuda.get_device_name(device))
    return listed.source if listed else peaks(device).source


def _flops_per_float(rows: Sequence[dict[str, Any]], device: Any) -> float | None:
    """How many float32 operations fit into the time in which one float32 reaches the device."""
    rates = [r["gbps"] for r in rows if r["direction"] == "h2d" and r.get("gbps")]
    best = peaks(device).fp32 if device.type != "cpu" else None
    return 4 * best / max(rates) if best and rates else None


def _check(sizes: Any, pinned: Any, directions: Any) -> tuple[list[int], list[str]]:
    chosen = list(_SIZES) if sizes is None else list(sizes)
    for size in chosen:
        check_count("bandwidth", "sizes", size)
    if pinned not in (True, False, "both"):
        raise ValueError(f"bench.bandwidth: pinned must be True, False or 'both', got {pinned!r}")
    named = [directions] if isinstance(directions, str) else list(directions)
    unknown = [name for name in named if name not in _DIRECTIONS]
    if unknown or not named or not chosen:
        raise ValueError(
            f"bench.bandwidth: directions must be of {', '.join(_DIRECTIONS)}, got {directions!r}"
            if chosen
            else "bench.bandwidth: sizes is empty; give bytes, e.g. [1 << 20]"
        )
    return chosen, named


def bandwidth(
    device: Any = None,
    sizes: Sequence[int] | None = None,
    pinned: bool | str = "both",
    directions: Sequence[str] = _DIRECTIONS,
) -> BandwidthTable:
    """Times copies host to device (h2d), back (d2h) and inside the device (d2d), by size.

    GB/s are bytes that arrive; inside a device each is read and written. Every copy is checked.

    Args:
        device: default the current GPU; on the CPU, copies in its memory.
        sizes: bytes. Default 4 KiB to 64 MiB.
        pinned: True for page-locked host memory, False for ordinary, "both".
        directions: of "h2d", "d2h", "d2d".

    Example:
        >>> import gpukit
        >>> gpukit.bench.bandwidth("cpu", sizes=[4096]).rows[0]["kind"]
        'host to host'
    """
    chosen, named = _check(sizes, pinned, directions)
    where = one_device(device)
    kinds = _kinds(where, named, pinned)
    rows: list[dict[str, Any]] = []
    with Progress(len(kinds) * len(chosen)) as progress:
        for label, direction, pin in kinds:
            for size in chosen:
                progress.step(f"{label}, {bytes_text(size)}")
                rows.append(_row(where, label, direction, pin, size))
    link, flops = _link(where), _flops_per_float(rows, where)
    for row in rows:
        if link and row.get("gbps") and row["direction"] != "d2d":
            row["share"] = 100 * row["gbps"] / link
    notes = []
    if link:
        notes.append(f"link: {link:.1f} GB/s each way by its PCIe generation ({_source(where)}).")
    if flops:
        notes.append(f"One float moved = {flops:,.0f} floating-point operations at the peak.")
    if where.type == "cpu" and device is None:
        notes.append(no_gpu_note("gpukit bench bandwidth"))
    return BandwidthTable(
        f"bandwidth on {where}",
        rows,
        notes,
        facts={"flops_per_float": flops, "link": link},
        simulated=where.simulated,
    )

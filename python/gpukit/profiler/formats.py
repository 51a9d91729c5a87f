"""Times and bytes as text, in torch's forms."""

from __future__ import annotations


def time_text(microseconds: float, unit: str | None = None) -> str:
    """Microseconds in the unit that fits, or in "s", "ms" or "us"."""
    if unit is None:
        unit = "s" if microseconds >= 1e6 else "ms" if microseconds >= 1e3 else "us"
    divisor = {"s": 1e6, "ms": 1e3, "us": 1.0}[unit]
    return f"{microseconds / divisor:.3f}{unit}"


def memory_text(count: float) -> str:
    """Bytes in the unit that fits."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(count) >= unit:
            return f"{count / unit:.2f} {name}"
    return f"{count:.0f} B"


def share_text(part: float, whole: float) -> str:
    """A part in percent."""
    return f"{100 * part / whole:.2f}%" if whole else "--"

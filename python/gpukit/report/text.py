"""Numbers for people. A value that was not measured is shown as a dash, never as 0."""

from __future__ import annotations

import re

from gpukit.report.lights import HARDWARE, KERNEL

NOT_MEASURED = "–"
_SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def _three_digits(value: float) -> str:
    """Three significant digits without an exponent."""
    magnitude = abs(value)
    if magnitude >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if magnitude >= 10 else f"{value:.2f}"


def duration_text(seconds: float | None) -> str:
    """A duration in the unit that reads best: ``1.23 ms``."""
    if seconds is None:
        return NOT_MEASURED
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(seconds) >= 0.9995 * scale:  # three digits would make it 1000 of the unit below
            return f"{_three_digits(seconds / scale)} {unit}"
    return f"{_three_digits(seconds / 1e-9)} ns"


def bytes_text(count: float | None) -> str:
    """Bytes in binary units: ``3.73 GiB``."""
    if count is None:
        return NOT_MEASURED
    value = float(count)
    for unit in _BINARY:
        if abs(value) < 1024 or unit == _BINARY[-1]:
            return f"{value:.0f} B" if unit == "B" else f"{_three_digits(value)} {unit}"
        value /= 1024
    raise AssertionError("unreachable: the last unit always returns")


def count_text(value: float | None) -> str:
    """A count in decimal units: ``12.5 M``."""
    if value is None:
        return NOT_MEASURED
    for scale, prefix in _SI:
        if abs(value) >= scale:
            return f"{_three_digits(value / scale)} {prefix}"
    return f"{value:g}"


_MARKS = {True: "yes", False: "no", None: "not asked"}


def light_texts(
    lights: dict[str, bool | None], ran: list[bool], *, simulated: bool = False
) -> list[str]:
    """`kernel ran: yes` for each light; `ran` says of each GPU whether a kernel ran on it."""
    marks = {name: _MARKS[light] for name, light in lights.items()}
    if simulated and not lights[HARDWARE]:
        marks[HARDWARE] = "no, simulated"
    if any(ran) and not all(ran):
        marks[KERNEL] = f"on {sum(ran)} of {len(ran)} GPUs"
    return [f"{name}: {mark}" for name, mark in marks.items()]


def rate_text(value: float | None, unit: str) -> str:
    """A rate that is already in its unit: ``187 GFLOP/s``."""
    return NOT_MEASURED if value is None else f"{_three_digits(value)} {unit}"


# CSI sequences (colours) and OSC sequences (titles) as a terminal's copy may carry them, also cut
# off. Each of their parts ends where the next begins, so that they take linear time.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)?|.)?")


def without_escapes(text: str) -> str:
    """The text without a terminal's escape sequences."""
    return _ESCAPES.sub("", text)


def printable(text: str) -> str:
    r"""The text with control characters shown as escapes (a process may be called ``ESC ]0;``)."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)

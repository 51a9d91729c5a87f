"""Pictures of results/*.json: ratios to each peer with intervals, and a roofline.

SVG of one width that a phone shows without zooming. Its colours follow the reader's theme. Nothing
is measured here: `python benchmarks/report.py` draws what is in the JSON.
"""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any, NamedTuple

OWN, LIMIT = "gpukit", "limit"
WIDTH, LEFT, RIGHT = 400, 12, 388
ROW, HEAD, AXIS = 34, 30, 18
FARTHEST = 200  # ratios beyond it are at the edge, with their number
# Light theme, dark theme.
INK = ("#1f2328", "#e6edf3")
FAINT = ("#59636e", "#9198a1")
LINE = ("#d1d9e0", "#3d444d")
PAPER = ("#ffffff", "#0d1117")  # a browser that opens the file itself has white under dark ink
COLOURS = {
    OWN: ("#cf222e", "#ff7b72"),
    "numpy": ("#0969da", "#4493f8"),
    "torch": ("#bc4c00", "#f0883e"),
    "jax": ("#8250df", "#ab7df8"),
    "safetensors": ("#1a7f37", "#3fb950"),
}
OTHER = FAINT
MARKS = ("circle", "square", "diamond")


class Point(NamedTuple):
    """A ratio: how many times as fast as the peer gpukit is, and between what."""

    peer: str
    ratio: float
    low: float
    high: float


def points(row: dict[str, Any]) -> list[Point]:
    """The ratios of a row; their ends are from the middle halves of both libraries' readings."""
    own, found = row["ns"][OWN], []
    for peer, ns in row["ns"].items():
        if peer in {OWN, LIMIT, "alone"}:
            continue
        half, other = (row["spread"].get(name, 0.0) / 2 for name in (OWN, peer))
        # Half of the readings may lie further apart than their median is large.
        low = ns * max(1 - other, 0.05) / (own * (1 + half))
        high = ns * (1 + other) / (own * max(1 - half, 0.05))
        found.append(Point(peer, ns / own, low, high))
    return found


def _style() -> str:
    def rules(theme: int) -> str:
        own = {"ink": INK, "faint": FAINT, "line": LINE, "other": OTHER}
        names = {**own, **COLOURS}
        fills = [
            f".{name}{{fill:{both[theme]};stroke:{both[theme]}}}" for name, both in names.items()
        ]
        return "".join(fills) + f".line{{fill:none}}.paper{{fill:{PAPER[theme]}}}"

    return (
        "<style>text{stroke:none!important;font:13px sans-serif}.small{font-size:12px}"
        f".bold{{font-weight:600}}.thin{{stroke-width:1.5;fill:none!important}}{rules(0)}"
        f"@media(prefers-color-scheme:dark){{{rules(1)}}}</style>"
    )


def _text(x: float, y: float, text: str, kind: str = "ink", anchor: str = "start") -> str:
    at = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {at} class="{kind}">{escape(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} class="{kind}"/>'


def _mark(x: float, y: float, peer: str, shape: str) -> str:
    kind = f'class="{peer if peer in COLOURS else "other"}"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" {kind}/>'
    if shape == "square":
        return f'<rect x="{x - 3.3:.1f}" y="{y - 3.3:.1f}" width="6.6" height="6.6" {kind}/>'
    around = (
        f"{x:.1f},{y - 4.6:.1f} {x + 4.6:.1f},{y:.1f} {x:.1f},{y + 4.6:.1f} {x - 4.6:.1f},{y:.1f}"
    )
    return f'<polygon points="{around}" {kind}/>'


def _whole(parts: list[str], height: float, title: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
    first = [head, f"<title>{escape(title)}</title>", _style()]
    paper = f'<path class="paper" d="M0,0H{WIDTH}V{height:.0f}H0z"/>'
    return "\n".join([*first, paper, *parts, "</svg>"]) + "\n"


def _legend(peers: list[str], y: float) -> list[str]:
    parts, x = [], float(LEFT)
    for place, peer in enumerate(peers):
        parts += [_mark(x + 4, y - 4, peer, MARKS[place % 3]), _text(x + 14, y, peer)]
        x += 30 + 8 * len(peer)
    return parts


def ratios(document: dict[str, Any], title: str) -> str:
    """How many times as fast as each peer gpukit is, a lane a row, on one logarithmic axis."""
    rows = [row for row in document["rows"] if points(row)]
    every = [point for row in rows for point in points(row)]
    if not every:
        return ""
    peers = list(dict.fromkeys(point.peer for point in every))
    low = min(0.5, *(point.low for point in every))
    high = min(FARTHEST, max(2.0, *(point.high for point in every)))
    span = math.log(high / low)

    def x_of(ratio: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(min(ratio, high) / low) / span

    subtitle = "times as fast as each peer; bars: middle half of the readings"
    parts = [_text(LEFT, 20, title, "ink bold"), _text(LEFT, 38, subtitle, "faint small")]
    parts += _legend(peers, 58)
    ticks = [t for t in (0.1, 0.5, 1, 2, 5, 10, 100) if low <= t <= high]

    def numbers(y: float) -> list[str]:
        """The axis below a group: on a phone the end of the picture is far away."""
        return [_text(x_of(t), y + 14, f"{t:g}×", "faint small", "middle") for t in ticks]

    y, group = 66.0, rows[0]["group"]
    parts.append(_text(LEFT, (y := y + HEAD) - 8, group, "ink bold"))
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            parts += numbers(y)
            y += HEAD + AXIS
            parts.append(_text(LEFT, y - 8, group, "ink bold"))
        parts.append(_text(LEFT, y + 11, row["name"], "faint small"))
        for tick in ticks:
            kind = "ink" if tick == 1 else "line"
            parts.append(_line(x_of(tick), y + 15, x_of(tick), y + 29, kind))
        for point in points(row):
            at, shape = y + 22, MARKS[peers.index(point.peer) % 3]
            kind = f"{point.peer if point.peer in COLOURS else 'other'} thin"
            parts.append(_line(x_of(point.low), at, x_of(point.high), at, kind))
            parts.append(_mark(x_of(point.ratio), at, point.peer, shape))
            if point.ratio > high:
                far = f"{point.ratio:.0f}×"
                parts.append(_text(x_of(high) - 8, at + 4, far, "faint small", "end"))
        y += ROW
    return _whole([*parts, *numbers(y)], y + 26, title)


class Work(NamedTuple):
    """What a row computes and moves at least."""

    flops: float
    bytes: float


_SQUARE = re.compile(r"float32 (\d+)×\1$")
_MATRIX = re.compile(r"(\d+)×(\d+) @ (\d+)×(\d+)$")
_SUM = re.compile(r"sum (\d+)² over dimension \d$")


def work_of(row: dict[str, Any]) -> Work | None:
    """The float32 work of rows whose name says it; None for the others."""
    name = row["name"]
    if row["group"] == "dispatch":
        return None
    if match := _SQUARE.match(name):
        n = int(match[1])
        return Work(2 * n**3, 12 * n**2)
    if match := _MATRIX.match(name):
        rows, inner, _, columns = map(int, match.groups())
        sizes = rows * inner + inner * columns + rows * columns
        return Work(2 * rows * inner * columns, 4 * sizes)
    if match := _SUM.match(name):
        n = int(match[1])
        return Work(n**2, 4 * n**2)
    return Work(1e7, 1.2e8) if name.startswith("add 1e7") else None


def roofline(document: dict[str, Any], title: str) -> str:
    """Rates by operations a byte, under the machine's measured peaks; "" where none are known."""
    peak = document.get("processor", {}).get("peak", {})
    rate, bandwidth = peak.get("float32 GFLOP/s"), peak.get("copy GB/s")
    rows = [(row, work) for row in document["rows"] if (work := work_of(row))]
    if not rate or not bandwidth or not rows:
        return ""
    peers = [peer for peer in (OWN, "numpy", "torch") if any(peer in row["ns"] for row, _ in rows)]
    marks = [
        (work.flops / work.bytes, work.flops / row["ns"][peer], peer)
        for row, work in rows
        for peer in peers
        if peer in row["ns"]
    ]
    left, right, top, bottom = 52, RIGHT, 92, 330
    low_x, high_x = (f(m[0] for m in marks) * k for f, k in ((min, 0.7), (max, 1.4)))
    low_y = min(m[1] for m in marks) * 0.7
    high_y = max(rate, *(m[1] for m in marks)) * 1.5

    def at(intensity: float, gflops: float) -> tuple[float, float]:
        x = left + (right - left) * math.log(intensity / low_x) / math.log(high_x / low_x)
        return x, bottom - (bottom - top) * math.log(gflops / low_y) / math.log(high_y / low_y)

    parts = [
        _text(LEFT, 20, title, "ink bold"),
        _text(
            LEFT, 38, f"peaks measured there: {rate:g} GFLOP/s, {bandwidth:g} GB/s", "faint small"
        ),
        *_legend(peers, 58),
    ]
    for tick in (0.1, 1, 10, 100, 1000, 10_000):
        if low_y <= tick <= high_y:
            y = at(low_x, tick)[1]
            parts += [_line(left, y, right, y, "line")]
            parts += [_text(left - 6, y + 4, f"{tick:g}", "faint small", "end")]
        if low_x <= tick <= high_x:
            x = at(tick, low_y)[0]
            parts += [_line(x, top, x, bottom, "line")]
            parts += [_text(x, bottom + 16, f"{tick:g}", "faint small", "middle")]
    ridge = min(max(rate / bandwidth, low_x), high_x)
    start = max(low_x, low_y / bandwidth)
    parts += [
        _line(*at(start, start * bandwidth), *at(ridge, min(rate, ridge * bandwidth)), "ink thin"),
        _line(*at(ridge, rate), *at(high_x, rate), "ink thin"),
    ]
    for intensity, gflops, peer in marks:
        parts.append(_mark(*at(intensity, gflops), peer, MARKS[peers.index(peer) % 3]))
    parts += [
        _text(
            (left + right) / 2, bottom + 34, "operations a byte (float32)", "faint small", "middle"
        ),
        _text(LEFT, top - 6, "GFLOP/s", "faint small"),
        _text(
            LEFT, bottom + 54, "Left of the bend the memory is the limit; above the", "faint small"
        ),
        _text(LEFT, bottom + 70, "slope the operands come from a cache.", "faint small"),
    ]
    return _whole(parts, bottom + 80, title)

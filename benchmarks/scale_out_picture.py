"""The picture of docs/scale-out.md: cost of a step against machines, by the formula of that page.

`python benchmarks/scale_out_picture.py docs/_static/scale-out.svg` writes it. Nothing is measured:
the constants below are named beside the picture.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

COMPUTE = 0.1  # seconds of one rank's share of the batch
LATENCY = 50e-6  # seconds a message
MACHINES = [2**k for k in range(8)]
# Label -> (bytes of gradients, bytes a second of the link), and the line's colour.
NETWORKS = {
    "2.7 MB, 10 Gbit/s": (2.7e6, 1.25e9, "#0969da"),
    "1 GB, 100 Gbit/s": (1e9, 12.5e9, "#8250df"),
    "300 MB, 10 Gbit/s": (3e8, 1.25e9, "#bf8700"),
    "1 GB, 10 Gbit/s": (1e9, 1.25e9, "#cf222e"),
}
LEFT, TOP, WIDTH, HEIGHT = 60, 20, 480, 220


def reduce_seconds(size: float, link: float, machines: int) -> float:
    """Adding up gradients of so many bytes on a ring."""
    share = (machines - 1) / machines
    return 2 * size * share / link + 2 * LATENCY * math.log2(machines)


def step_over_compute(size: float, link: float, machines: int) -> float:
    """A step's time with reductions under the backward pass, in times of one machine's."""
    return max(COMPUTE, reduce_seconds(size, link, machines)) / COMPUTE


def _x(machines: int) -> float:
    return LEFT + WIDTH * math.log2(machines) / math.log2(MACHINES[-1])


def _y(times: float) -> float:
    return TOP + HEIGHT * (1 - math.log2(times) / 5)  # from 1 to 32 times


def picture() -> str:
    """The SVG; grey and the lines' colours are readable on white and on black."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {TOP + HEIGHT + 50}" '
        'font-family="sans-serif" font-size="13" fill="#808890">',
        "<title>Time of a step against machines</title>",
    ]
    for machines in MACHINES:
        x = _x(machines)
        parts += [
            f'<line x1="{x:.0f}" y1="{TOP}" x2="{x:.0f}" y2="{TOP + HEIGHT}" stroke="#80889040"/>',
            f'<text x="{x:.0f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{machines}</text>',
        ]
    for times in (1, 2, 4, 8, 16, 32):
        y = _y(times)
        parts += [
            f'<line x1="{LEFT}" y1="{y:.0f}" x2="{LEFT + WIDTH}" y2="{y:.0f}" stroke="#80889040"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{times} ×</text>',
        ]
    for label, (size, link, colour) in NETWORKS.items():
        values = [step_over_compute(size, link, n) for n in MACHINES]
        points = " ".join(f"{_x(n):.1f},{_y(v):.1f}" for n, v in zip(MACHINES, values, strict=True))
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{LEFT + WIDTH + 8}" y="{_y(values[-1]) + 4:.0f}" fill="{colour}">'
            f"{label}</text>",
        ]
    middle = LEFT + WIDTH / 2
    parts += [
        f'<text x="{middle:.0f}" y="{TOP + HEIGHT + 40}" text-anchor="middle">machines</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")

"""The picture of docs/scale-out.md: cost of a step against machines, by the formula of that page.

`python benchmarks/scale_out_picture.py docs/_static/scale-out.svg` writes it. Nothing is measured:
the constants below are named beside the picture.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from gpukit.report.drawing import LINE, drawing, label, mark

COMPUTE = 0.1  # seconds of one rank's share of the batch
LATENCY = 50e-6  # seconds a message
MACHINES = [2**k for k in range(8)]
# Label -> (bytes of gradients, bytes a second of the link), and the line's colour.
NETWORKS = {
    "2.7 MB, 10 Gbit/s": (2.7e6, 1.25e9, "#2f81d8"),
    "1 GB, 100 Gbit/s": (1e9, 12.5e9, "#9a6ae0"),
    "300 MB, 10 Gbit/s": (3e8, 1.25e9, "#b58400"),
    "1 GB, 10 Gbit/s": (1e9, 1.25e9, "#dd4a48"),
}
LEFT, TOP, WIDTH, HEIGHT = 44, 28, 340, 220


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
    """The SVG, for a phone too; the lines' colours are readable on white and on black."""
    base, title = TOP + HEIGHT, "Time of a step, in times of one machine's"
    parts = [label(4, 16, title)]
    for machines in MACHINES:
        x = _x(machines)
        parts += [
            f'<path d="M{x:.0f},{TOP}V{base}" stroke="#80889060"/>',
            label(x, base + LINE, str(machines), anchor="middle"),
        ]
    for times in (1, 2, 4, 8, 16, 32):
        y = _y(times)
        parts += [
            f'<path d="M{LEFT},{y:.0f}H{LEFT + WIDTH}" stroke="#80889060"/>',
            label(LEFT - 6, y + 4, f"{times} ×", anchor="end"),
        ]
    parts.append(label(LEFT + WIDTH / 2, base + 2 * LINE, "machines", anchor="middle"))
    below = base + 3 * LINE + 4
    for place, (name, (size, link, colour)) in enumerate(NETWORKS.items()):
        values = [step_over_compute(size, link, n) for n in MACHINES]
        points = " ".join(f"{_x(n):.1f},{_y(v):.1f}" for n, v in zip(MACHINES, values, strict=True))
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            mark(LEFT + place % 2 * 180, below + place // 2 * LINE, colour, name),
        ]
    return drawing(title, below + 2 * LINE - 6, parts) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")

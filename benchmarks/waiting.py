"""How late a wait for a GPU ends, and what it costs, on the simulator in real time.

    python benchmarks/waiting.py           # prints the table
    python benchmarks/waiting.py --write   # writes benchmarks/results/waiting.md as well

A copy that takes a known time is waited for: by `synchronize`, and by asking the stream without a
pause, which is the earliest that a wait can end. Printed: that time, how long the host waited from
the copy's call on (quartiles of 201), and the share of a core that it computed meanwhile.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep, thread_time

import gpukit

WAITS_US = (30, 100, 300, 1000, 3000)
# Of the design: a wait of so many us ends within so many, at such a share of a core.
GOALS = {30: "40 µs", 1000: "1150 µs at 10 %"}
SAMPLES = 201
BYTES_A_US = 200
PAGE = Path(__file__).resolve().parent / "results" / "waiting.md"
PR_SET_TIMERSLACK = 29


def asked_for() -> None:
    """Until the work is done, without a pause."""
    stream = gpukit.cuda.current_stream()
    while not stream.query():
        pass


def measured(length_us: int, wait: Callable[[], object]) -> tuple[list[float], float]:
    """Quartiles of the waits in microseconds, and the share of a core during all of them."""
    source = gpukit.ones(length_us * BYTES_A_US, dtype=gpukit.uint8).pin_memory()
    target = source.to("cuda:0")
    waits, computed = [], 0.0
    for _ in range(SAMPLES):
        begin, used = perf_counter(), thread_time()
        target.copy_(source, non_blocking=True)
        wait()
        computed += thread_time() - used
        waits.append((perf_counter() - begin) * 1e6)
    return quantiles(waits, n=4), computed / (sum(waits) * 1e-6)


def sleep_of_5_us() -> tuple[float, float]:
    """What a sleep of 5 us takes at a timer slack of 1 ns: microseconds, and those computed."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1)
    lengths, computed = [], []
    for _ in range(SAMPLES):
        begin, used = perf_counter(), thread_time()
        sleep(5e-6)
        lengths.append((perf_counter() - begin) * 1e6)
        computed.append((thread_time() - used) * 1e6)
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 0)  # the usual one
    return median(lengths), median(computed)


def table() -> Iterator[str]:
    """The rows of both ways to wait."""
    yield "| copy | waited: quartiles | of a core | asked without a pause: quartiles | goal |"
    yield "|--:|--:|--:|--:|--:|"
    for length in WAITS_US:
        cells = []
        for wait in (gpukit.cuda.synchronize, asked_for):
            times, share = measured(length, wait)
            cells += [" ".join(f"{time:.1f}" for time in times) + " µs", f"{share:.0%}"]
        goal = GOALS.get(length, "")
        yield f"| {length} µs | {cells[0]} | {cells[1]} | {cells[2]} | {goal} |"


def main() -> None:
    """Prints the table and, if asked to, writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    length, computed = sleep_of_5_us()
    gpukit.simulate(1, "T4", realtime=True, link_gbps=BYTES_A_US / 1000)
    lines = [
        "# Waiting for a GPU",
        "",
        "Made by `python benchmarks/waiting.py --write` on the simulator in real time: none of it",
        "is a GPU's timing. A wait asks without a pause for 40 µs, then sleeps an eighth of the",
        "time waited so far.",
        "",
        f"{os.cpu_count()} cores of {platform.machine()}, {date.today()}. A sleep of 5 µs takes "
        f"{length:.0f} µs here,",
        f"of which the processor computes {computed:.0f} µs.",
        "",
        *table(),
    ]
    print("\n".join(lines))
    if options.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

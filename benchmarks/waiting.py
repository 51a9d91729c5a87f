"""How late a wait for a GPU ends, and what it costs, on the simulator in real time.

    python benchmarks/waiting.py

A copy that takes a known time is waited for. Printed: that time, how long the host waited from
the copy's call on (quartiles of 201), and the share of a core that it computed meanwhile.
"""

from __future__ import annotations

from statistics import quantiles
from time import perf_counter, thread_time

import gpukit

WAITS_US = (30, 100, 300, 1000, 3000)
SAMPLES = 201
BYTES_A_US = 200


def measured(length_us: int) -> tuple[list[float], float]:
    """Microseconds of each wait, and the share of a core during all of them."""
    source = gpukit.ones(length_us * BYTES_A_US, dtype=gpukit.uint8).pin_memory()
    target = source.to("cuda:0")
    waits, computed = [], 0.0
    for _ in range(SAMPLES):
        begin, used = perf_counter(), thread_time()
        target.copy_(source, non_blocking=True)
        gpukit.cuda.synchronize()
        computed += thread_time() - used
        waits.append((perf_counter() - begin) * 1e6)
    return waits, computed / (sum(waits) * 1e-6)


if __name__ == "__main__":
    gpukit.simulate(1, "T4", realtime=True, link_gbps=BYTES_A_US / 1000)
    print("asked us   waited us: quartiles          share of a core")
    for length in WAITS_US:
        waits, share = measured(length)
        low, middle, high = quantiles(waits, n=4)
        print(f"{length:8} {low:12.1f} {middle:8.1f} {high:8.1f} {share:16.1%}")

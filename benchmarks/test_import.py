"""The price of `import gpukit`: time and memory over bare Python, each in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter_ns

from harness import Row

# Peak memory and time as the child sees them; bare Python is the same program without the import.
PROGRAM = """
import time
begin = time.perf_counter_ns()
{statement}
taken = time.perf_counter_ns() - begin
with open("/proc/self/status") as lines:
    print(taken, next(line.split()[1] for line in lines if line.startswith("VmRSS")))
"""


def fresh(statement: str) -> tuple[float, float]:
    program = PROGRAM.format(statement=statement)
    text = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout
    nanoseconds, kib = text.split()
    return float(nanoseconds), float(kib)


def test_import(record):
    seen = {
        name: [fresh(f"import {name}") for _ in range(7)] for name in ("gpukit", "numpy", "torch")
    }
    bare = median(kib for _, kib in [fresh("pass") for _ in range(7)])
    ns = {name: median(t for t, _ in runs) for name, runs in seen.items()}
    spread = {
        name: (max(t for t, _ in r) - min(t for t, _ in r)) / 2 / ns[name]
        for name, r in seen.items()
    }
    mib = {name: (median(kib for _, kib in runs) - bare) / 1024 for name, runs in seen.items()}
    note = "memory over bare Python: " + ", ".join(f"{k} {v:.1f} MiB" for k, v in mib.items())
    ns["limit"], spread["limit"] = 15e6, 0.0
    goals = {"torch": 50, "numpy": 4, "limit": 1}
    record(Row("import", "import in a fresh process", ns, spread, goals, note))
    assert mib["gpukit"] <= 8


def test_info_process(record):
    """`gpukit info` from the shell to its last line."""
    times = []
    for _ in range(7):
        begin = perf_counter_ns()
        subprocess.run([sys.executable, "-m", "gpukit", "info"], capture_output=True, check=True)
        times.append(perf_counter_ns() - begin)
    ns = {"gpukit": float(median(times)), "limit": 0.3e9}
    spread = {"gpukit": (max(times) - min(times)) / 2 / ns["gpukit"], "limit": 0.0}
    record(Row("import", "gpukit info, whole process", ns, spread, {"limit": 1}))

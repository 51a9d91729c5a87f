"""Stage executor: the tests of the PTX executor, on the hardware."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from gpu_day.sheet import Sheet, simulated
from gpu_day.suite import Outcomes, add_outcomes, run_tests

FAULTS = 10  # processes, one for each test of a fault at most
AT_ONCE = min(8, os.cpu_count() or 1)
LIMIT_S = 240.0 if simulated() else 40.0
PLUGIN = "-p gpu_day.on_hardware"


def run(sheet: Sheet, fault: int | None) -> tuple[Outcomes, str]:
    """The tests that leave the context whole, or one of those that end it."""
    environment = os.environ | {"GPU_DAY_PARTS": "1", "PYTEST_ADDOPTS": PLUGIN}
    if fault is not None:
        environment["GPU_DAY_FAULT"] = str(fault)
    file = sheet.file.with_suffix(f".{fault}.outcomes")
    return run_tests(file, ["tests/sim"], environment, LIMIT_S, parallel=fault is None)


def main() -> int:
    sheet = Sheet()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(lambda fault: run(sheet, fault), [None, *range(FAULTS)]))
    seen: Outcomes = {}
    for outcomes, ending in runs:
        seen |= outcomes
        if outcomes or "with 5" not in ending:  # 5: no test of that number
            sheet.note(ending)
    return 1 if add_outcomes(sheet, seen) or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

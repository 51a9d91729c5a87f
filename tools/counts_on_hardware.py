"""The PTX executor's exact counts beside the counters of a real GPU, launch by launch.

    python tools/counts_on_hardware.py benchmarks/results/h200/counters.json

The file is what `benchmarks/gpu_day.sh --stage counters` wrote. Requests and sectors of global
memory must be equal; each difference is printed. Exit code 1 if a row has other launches.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

from make_counts import CARDS, counted_launches  # noqa: E402

COUNTERS = ("load requests", "load sectors", "store requests", "store sectors")


def on_hardware(file: Path) -> dict[int, list[dict[str, Any]]]:
    """Row number -> its launches, in order."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for launch in json.loads(file.read_text(encoding="utf-8"))["rows"]:
        found[launch["row"]].append(launch)
    return found


def in_executor(folder: Path) -> list[tuple[str, list[Any]]]:
    """Row by row: its name, and the counts of its launches."""
    from count_rows import ROWS
    from make_ptx import make

    from gpukit._simulation import session

    families = sorted({family for row in ROWS for family in row.families.split()})
    make(CARDS["T4"], folder, [*families, "copy", "fill"])
    simulation = session.restart(f"1xT4,engine=ptx,ptx={folder},counts=1")
    return [(row.name, counted_launches(simulation, row.prepare())) for row in ROWS]


def counts_of(launch: Any) -> tuple[int, ...]:
    """The executor's counts in the order of COUNTERS."""
    reads, writes = launch.global_reads, launch.global_writes
    return (reads.requests, reads.sectors_asked, writes.requests, writes.sectors_asked)


def main() -> int:
    """Prints what differs, and how many launches are equal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    hardware = on_hardware(parser.parse_args().file)
    with tempfile.TemporaryDirectory() as folder:
        rows = in_executor(Path(folder))
    equal = other = 0
    for number, (name, launches) in enumerate(rows, 1):
        real = hardware[number]
        if [one["kernel"] for one in real] != [one.kernel for one in launches]:
            print(f"{name}: other kernels: {[one['kernel'] for one in real]}")
            other += 1
            continue
        for executed, counted in zip(launches, real, strict=True):
            seen = tuple(int(counted[counter]) for counter in COUNTERS)
            if seen == counts_of(executed):
                equal += 1
            else:
                print(f"{name}: {executed.kernel}: {counts_of(executed)}, hardware {seen}")
    total = sum(len(launches) for _, launches in rows)
    print(f"{equal} of {total} launches have the hardware's {', '.join(COUNTERS)}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())

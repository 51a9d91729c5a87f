"""Stage counters: the hardware's counters for the rows of docs/kernel-counts.md, by Nsight Compute.

They stand beside the executor's exact counts: requests and sectors of global memory, turns and
conflicts of shared memory. A process of its own makes the calls; `ncu` reads its kernels, launch by
launch.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from gpu_day.sheet import Sheet, simulated

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("/usr/local/cuda/bin/ncu",)
LIMIT_S = 200.0
METRICS = {
    "gpu__time_duration.sum": "ns",
    "launch__registers_per_thread": "registers",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "load sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "store sectors",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "shared turns",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "shared conflicts",
    "smsp__inst_executed.sum": "warp instructions",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
    "dram__bytes_read.sum": "memory read",
    "dram__bytes_write.sum": "memory written",
}


MARKER = """.version 7.0
.target sm_70
.address_size 64
.visible .entry row_begins() { ret; }
"""


def call_rows() -> None:
    """The child: each row's call once, after all operands. A marker's grid is the row's number."""
    sys.path.insert(0, str(ROOT / "tools"))
    from count_rows import ROWS  # type: ignore[import-not-found]

    import gpukit

    marker = gpukit.cuda.RawKernel(MARKER, "row_begins")
    calls = [row.prepare() for row in ROWS]
    for number, call in enumerate(calls, 1):
        marker((number,), (1,), ())
        call()
    gpukit.synchronize("cuda")


def find_program() -> str | None:
    return shutil.which("ncu") or next((p for p in PLACES if Path(p).exists()), None)


def read(program: str) -> list[dict[str, str]]:
    """Rows of ncu: one a kernel and metric."""
    command = [program, "--csv", "--clock-control", "none", "--print-units", "base"]
    command += ["--metrics", ",".join(METRICS), sys.executable, "-m", "gpu_day.counters", "--child"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
        env={**os.environ, "GPUKIT_CUBLAS": "none"},
    )
    lines = done.stdout.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        raise RuntimeError(f"ncu printed no table: {(done.stdout + done.stderr)[-1500:]}")
    return list(csv.DictReader(io.StringIO("\n".join(lines[begin:]))))


def main() -> int:
    sheet = Sheet()
    program = find_program()
    if simulated() or program is None:
        call_rows()
        sheet.note("Not run: a simulated GPU" if simulated() else "Not run: ncu is not installed")
        return 0
    launches: dict[str, dict[str, Any]] = {}
    number = 0
    for row in read(program):
        if row["Kernel Name"].startswith("row_begins"):
            number = int(row["Grid Size"].strip("( )").split(",")[0])
            continue
        if number == 0:  # of the operands
            continue
        launch = launches.setdefault(row["ID"], {"row": number, "kernel": row["Kernel Name"]})
        value = row["Metric Value"].replace(",", "")
        launch[METRICS[row["Metric Name"]]] = float(value) if value else None
    for launch in launches.values():
        sheet.add(**launch)
    return 0


if __name__ == "__main__":
    if "--child" in sys.argv:
        call_rows()
    else:
        raise SystemExit(main())

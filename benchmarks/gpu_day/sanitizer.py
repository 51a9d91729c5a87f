"""Stage sanitizer: compute-sanitizer's four tools over one shape of every kernel family."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from gpu_day.sheet import Sheet, simulated

TOOLS = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
TOOL_LIMIT_S = 110.0
PLACES = ("/usr/local/cuda/bin/compute-sanitizer",)
SUMMARY = re.compile(r"(ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY): (.*)")


def find_program() -> str | None:
    """compute-sanitizer on the path or where the toolkit puts it."""
    return shutil.which("compute-sanitizer") or next((p for p in PLACES if Path(p).exists()), None)


def run_tool(program: str, tool: str, options: list[str]) -> tuple[int, str]:
    """Exit code and summary lines of one tool."""
    command = [program, "--tool", tool, "--error-exitcode", "99", *options]
    command += [sys.executable, "-m", "gpu_day.every_kernel"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=TOOL_LIMIT_S,
            # Each tensor's bounds and end are seen; products are gpukit's own.
            env={**os.environ, "GPUKIT_POOL": "none", "GPUKIT_CUBLAS": "none"},
        )
    except subprocess.TimeoutExpired:
        return 1, f"stopped after {TOOL_LIMIT_S:.0f} s"
    found = [f"{a}: {b}" for a, b in SUMMARY.findall(done.stdout + done.stderr)]
    return done.returncode, "; ".join(found) or (done.stdout + done.stderr)[-300:]


def main() -> int:
    sheet = Sheet()
    program = find_program()
    if simulated() or program is None:
        reason = "a simulated GPU" if simulated() else "compute-sanitizer is not installed"
        sheet.note(f"Not run: {reason}. The kernels ran without it:")
        done = subprocess.run([sys.executable, "-m", "gpu_day.every_kernel"], check=False)
        sheet.add(tool="none", code=done.returncode)
        return done.returncode
    worst = 0
    for tool, options in TOOLS.items():
        code, summary = run_tool(program, tool, options)
        sheet.add(tool=tool, code=code, summary=summary)
        worst = worst or code
    return worst


if __name__ == "__main__":
    sys.exit(main())

"""Stage suite: the tests in gpu mode, or a seeded third of them; failures by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from gpu_day.sheet import Sheet, simulated

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["tests/driver"] if simulated() else ["tests"]
LIMIT_S = 440.0
# Files stay whole, for what their tests share. With few cores one process is as fast.
WORKERS = min(12, (os.cpu_count() or 1) - 2)
PARALLEL = ["-n", str(WORKERS), "--dist", "loadfile"] if WORKERS > 1 else []

Outcomes = dict[str, tuple[str, str]]


def run_tests(
    file: Path,
    folders: list[str],
    environment: dict[str, str],
    limit_s: float,
    parallel: bool = True,
) -> tuple[Outcomes, str]:
    """Test -> (outcome, message) of pytest in a process of its own, and how that ended.

    gpu_day.part chooses the tests and writes the outcomes as they come.
    """
    program = [sys.executable, "-m", "pytest", *folders, "-q", "-p", "gpu_day.part"]
    program += ["-p", "no:cacheprovider", *(PARALLEL if parallel else [])]
    environment = environment | {"GPU_DAY_OUTCOMES": str(file)}
    file.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            program,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_s,
        )
        ending = f"pytest ended with {done.returncode}"
        if done.returncode not in {0, 1}:
            ending += f": {(done.stdout + done.stderr)[-1000:]}"
    except subprocess.TimeoutExpired:
        ending = f"pytest was stopped after {limit_s:.0f} s"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    seen: Outcomes = {}
    for test, outcome, message in map(json.loads, lines):
        if seen.get(test, ("",))[0] != "failed":
            seen[test] = (outcome, message)
    return seen, ending


def add_outcomes(sheet: Sheet, seen: Outcomes) -> int:
    """Counts, then every test that did not pass. Returns the number of failures."""
    counts: Counter[Any] = Counter(outcome for outcome, _ in seen.values())
    sheet.add(test="all", outcome=", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    for name, (outcome, message) in seen.items():
        if outcome in {"failed", "not finished"}:
            sheet.add(test=name, outcome=outcome, message=message)
    return counts["failed"] + counts["not finished"]


def main() -> int:
    sheet = Sheet()
    sheet.note(f"seed {os.environ['GPU_DAY_SEED']}, one part of {os.environ['GPU_DAY_PARTS']}")
    file = sheet.file.with_suffix(".outcomes")
    seen, ending = run_tests(file, FOLDERS, dict(os.environ), LIMIT_S)
    sheet.note(ending)
    return 1 if add_outcomes(sheet, seen) or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

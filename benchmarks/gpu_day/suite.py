"""Stage suite: the tests in gpu mode, or a seeded third of them; failures by name."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

from gpu_day.sheet import Sheet, simulated

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["tests/driver"] if simulated() else ["tests"]
OUTCOMES = ("failure", "error", "skipped")


def run_tests(
    junit: Path, folders: list[str], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own; the chosen part is gpu_day.part's doing."""
    program = [sys.executable, "-m", "pytest", *folders, "-q", "-p", "gpu_day.part"]
    program += [f"--junitxml={junit}", "-p", "no:cacheprovider"]
    return subprocess.run(
        program, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def outcomes(junit: Path) -> dict[str, tuple[str, str]]:
    """Test -> (outcome, the message's first line)."""
    seen = {}
    for case in ET.parse(junit).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        outcome, message = "passed", ""
        for kind in OUTCOMES:
            found = case.find(kind)
            if found is not None:
                outcome = kind
                message = (found.get("message") or "").split("\n")[0][:300]
        seen[name] = (outcome, message)
    return seen


def add_outcomes(sheet: Sheet, seen: dict[str, tuple[str, str]]) -> int:
    """Counts, then every test that did not pass. Returns the number of failures."""
    counts: Counter[Any] = Counter(outcome for outcome, _ in seen.values())
    sheet.add(test="all", outcome=", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    for name, (outcome, message) in seen.items():
        if outcome in {"failure", "error"}:
            sheet.add(test=name, outcome=outcome, message=message)
    return counts["failure"] + counts["error"]


def main() -> int:
    sheet = Sheet()
    junit = sheet.file.with_suffix(".xml")
    done = run_tests(junit, FOLDERS, dict(os.environ))
    if not junit.exists():
        sheet.note(f"pytest ended with {done.returncode}: {done.stdout[-1000:]}")
        return 1
    seen = outcomes(junit)
    junit.unlink()
    sheet.note(f"seed {os.environ['GPU_DAY_SEED']}, one part of {os.environ['GPU_DAY_PARTS']}")
    return 1 if add_outcomes(sheet, seen) or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

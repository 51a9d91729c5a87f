"""Check that mypy finds the planted errors of tests/typing, and no others.

The programs there are a beginner's, with errors that a type checker must find. Such a line ends in
a comment with mypy's code of the error.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "typing"
PLANTED = re.compile(r"# E: ([\w-]+)$")
FOUND = re.compile(r"([^:]+):(\d+): error: .*\[([\w-]+)\]$")

Errors = set[tuple[str, int, str]]  # file, line, code


def planted() -> Errors:
    """The errors that the comments expect."""
    return {
        (path.name, number, found.group(1))
        for path in PROGRAMS.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := PLANTED.search(line))
    }


def reported() -> tuple[Errors, str]:
    """The errors of one run of mypy over all programs, and its output."""
    files = [str(path.relative_to(ROOT)) for path in sorted(PROGRAMS.glob("*.py"))]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *files]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    matches = [FOUND.match(line) for line in text.splitlines()]
    return {(Path(m[1]).name, int(m[2]), m[3]) for m in matches if m}, text


def main() -> int:
    """The exit code."""
    wanted, (found, text) = planted(), reported()
    for name, number, code in sorted(wanted - found):
        print(f"tests/typing/{name}:{number}: mypy does not find the planted {code}")
    for name, number, code in sorted(found - wanted):
        print(f"tests/typing/{name}:{number}: mypy finds {code}, which is not planted")
    if wanted != found:
        print(text)
    return 1 if wanted != found or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs numba-cuda's own tests on the simulated driver, in pieces that can be resumed.

    python tools/try_numba.py --progress build/numba.jsonl            # all that have no result yet
    python tools/try_numba.py --progress build/numba.jsonl --failed   # those that failed, again
    python tools/try_numba.py --progress build/numba.jsonl --report   # the score, and runs nothing

It needs the dependency group `cuda-programs` and gpukit in one environment. The tests come in
numba-cuda's wheel; each result is written down when it is known, so a run that was stopped goes on
where it ended. tools/numba_refused.txt has the tests that need what the simulator refuses.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFUSED = ROOT / "tools" / "numba_refused.txt"
SUITE = "numba.cuda.tests"
PYTEST = [
    *("-q", "-p", "no:cacheprovider", "-o", "consider_namespace_packages=true"),
    *("--import-mode=importlib", "--continue-on-collection-errors"),
]
# numba-cuda's conftest.py is not in its wheel; what its tests ask of it is the fixture. The other
# functions write each result down, and what is about to run, so that a crash has a name.
PLUGIN = """
import json, os, pathlib, pytest

PROGRESS, WANTED = os.environ["TRY_NUMBA_PROGRESS"], os.environ["TRY_NUMBA_WANTED"]

@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False

def pytest_addoption(parser):
    parser.addoption("--dump-failed-filechecks", action="store_true")

def write(**row):
    with open(PROGRESS, "a") as file:
        file.write(json.dumps(row) + "\\n")

def pytest_collection_modifyitems(config, items):
    if WANTED:
        wanted = set(pathlib.Path(WANTED).read_text().splitlines())
        items[:] = [item for item in items if item.nodeid in wanted]

def pytest_runtest_logstart(nodeid, location):
    write(id=nodeid, outcome="began")

def pytest_runtest_logreport(report):
    failed_late = report.when != "call" and report.outcome != "passed"
    if report.when == "call" or failed_late:
        why = "" if report.passed else str(report.longrepr)
        write(id=report.nodeid, outcome=report.outcome, why=why[-3000:])
"""


def refused() -> list[tuple[str, str]]:
    """Patterns of tests, with the reason."""
    rows = []
    for line in REFUSED.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.partition("|")
            rows.append((pattern.strip(), reason.strip()))
    return rows


def is_refused(name: str, rows: list[tuple[str, str]]) -> bool:
    """Whether a test needs what the simulator refuses."""
    return any(fnmatch(name, pattern) for pattern, _ in rows)


def read_progress(path: Path) -> dict[str, tuple[str, str]]:
    """Outcome and reason of each test; "began" for one that ended with its process."""
    results: dict[str, tuple[str, str]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            results[row["id"]] = (row["outcome"], row.get("why", ""))
    return results


class Suite:
    """numba-cuda's tests in this environment."""

    def __init__(self, cards: str, progress: Path, folder: Path) -> None:
        self.cards, self.progress, self.folder = cards, progress, folder
        spec = find_spec(SUITE)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        self.tests = Path(next(iter(spec.submodule_search_locations)))
        (folder / "numba_plugin.py").write_text(PLUGIN, encoding="utf-8")

    def run(
        self, file: str, *options: str, wanted: Path | None = None, limit: float
    ) -> tuple[int, str]:
        """Status and output of pytest under `gpukit sim`, for one file or "" for all."""
        environment = {
            **os.environ,
            "TRY_NUMBA_PROGRESS": str(self.progress.resolve()),
            "TRY_NUMBA_WANTED": str(wanted or ""),
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "gpukit", "sim", self.cards, "--", sys.executable]
        command += ["-m", "pytest", "-p", "numba_plugin", *PYTEST, *options]
        command += [f"--rootdir={self.tests}", str(self.tests / file)]
        try:
            done = subprocess.run(
                command,
                env=environment,
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stdout + done.stderr

    def names(self) -> list[str]:
        """Every test of the suite."""
        _, output = self.run("", "--collect-only", limit=600)
        return [line.strip() for line in output.splitlines() if "::" in line and " " not in line]


def pieces(names: list[str], size: int) -> Iterator[list[str]]:
    """At most `size` tests of one file each."""
    by_file: dict[str, list[str]] = {}
    for name in names:
        by_file.setdefault(name.partition("::")[0], []).append(name)
    for group in by_file.values():
        for i in range(0, len(group), size):
            yield group[i : i + size]


def run_all(suite: Suite, names: list[str], timeout: float, size: int) -> None:
    """Every named test once. A process that ends early costs the test that it was at."""
    for piece in pieces(names, size):
        left = list(piece)
        while left:
            wanted = suite.folder / "wanted.txt"
            wanted.write_text("\n".join(left), encoding="utf-8")
            suite.progress.touch()
            start = suite.progress.stat().st_size
            status, output = suite.run(
                left[0].partition("::")[0],
                f"--timeout={timeout}",
                "--timeout-method=thread",
                wanted=wanted,
                limit=timeout * 3 + 30 * len(left) + 300,
            )
            with suite.progress.open(encoding="utf-8") as progress:
                progress.seek(start)
                text = progress.read()
            seen: dict[str, str] = {}
            for line in text.splitlines():
                row = json.loads(line)
                if row["id"] in left:  # another run may write to the same file
                    seen[row["id"]] = row["outcome"]
            ended = [name for name, outcome in seen.items() if outcome == "began"]
            for name in ended:
                with suite.progress.open("a", encoding="utf-8") as progress:
                    why = f"the process ended with {status}: {output[-1500:]}"
                    progress.write(json.dumps({"id": name, "outcome": "crashed", "why": why}))
                    progress.write("\n")
            if not seen:
                raise SystemExit(f"pytest ran nothing (status {status}): {output[-3000:]}")
            left = [name for name in left if name not in seen]
        print(piece[-1], Counter(read_progress(suite.progress)[n][0] for n in piece), flush=True)


def report(progress: Path) -> int:
    """The score, and what failed."""
    rows, results = refused(), read_progress(progress)
    counted = {name: result for name, result in results.items() if not is_refused(name, rows)}
    outcomes = Counter(outcome for outcome, _ in counted.values())
    failed = {name: why for name, (outcome, why) in counted.items() if outcome in BAD}
    for name, why in sorted(failed.items()):
        print(f"{name}\n    {why.strip().splitlines()[-1][:200] if why.strip() else ''}")
    ran = outcomes["passed"] + len(failed)
    share = 100 * outcomes["passed"] / ran if ran else 0
    print(f"{outcomes['passed']} of {ran} passed ({share:.1f} %), {outcomes['skipped']} skipped, ")
    print(f"{len(results) - len(counted)} refused on purpose; {dict(outcomes)}")
    return 0 if share >= 95 else 1


BAD = ("failed", "crashed", "began")


def main() -> int:
    """Runs what has no result, or reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--progress", type=Path, required=True, help="file of results")
    parser.add_argument("--cards", default="2xT4,driver=580")
    parser.add_argument("--only", default="*", help="pattern of tests")
    parser.add_argument("--failed", action="store_true", help="those that failed, again")
    parser.add_argument("--refused", action="store_true", help="also those that are refused")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a test")
    parser.add_argument("--piece", type=int, default=60, help="tests a process")
    options = parser.parse_args()
    if not options.report:
        options.progress.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            suite = Suite(options.cards, options.progress, Path(folder))
            rows, known = refused(), read_progress(options.progress)
            names = [
                name
                for name in suite.names()
                if fnmatch(name, options.only)
                and (options.refused or not is_refused(name, rows))
                and (known[name][0] in BAD if name in known else True)
                and (not options.failed or name in known)
                and (options.failed or name not in known)
            ]
            run_all(suite, names, options.timeout, options.piece)
    return report(options.progress)


if __name__ == "__main__":
    sys.exit(main())

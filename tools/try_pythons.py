"""Try wheels with each Python: the suite, and the commands that a user types first.

`python tools/try_pythons.py WHEELS [--root ROOT] [--python 3.14]... [--rows FILE]`: WHEELS is a
folder of tools/build_wheels.py. Pythons that this machine lacks run in ROOT, which
tools/debian_root.py made. Each group of test files is written to PROGRESS when it has run, so a run
that was stopped goes on where it ended, and runs again what failed. `--report` runs no tests: it
writes the rows of what has run so far.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from debian_root import PYTHONS as OF_THE_ROOT
from debian_root import DebianRoot
from released_wheels import wheel_for

ROOT = Path(__file__).resolve().parents[1]
# Python -> the folders of its suite, in mode sim.
SUITES = {
    "3.10": ("tests/unit",),
    "3.12": ("tests/unit",),
    "3.13": ("tests/unit",),
    "3.14": ("tests/unit", "tests/backend"),
    "3.15": ("tests/unit", "tests/backend"),
}
GROUP = 6  # files: what is lost when a run is stopped
PYTEST = ("-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile", "--timeout", "600")
# What users type first -> its name in the table.
COMMANDS = {
    "bench": ("bench",),
    "doctor": ("doctor",),
    "sim 2xT4": ("sim", "2xT4", "--", "gpukit", "selftest"),
}
FACTS = """
import json, platform
name = next((line.split("=", 1)[1].strip().strip('"') for line in open("/etc/os-release")
             if line.startswith("PRETTY_NAME=")), platform.system())
print(json.dumps({"python": platform.python_version(), "libc": " ".join(platform.libc_ver()),
                  "architecture": platform.machine(), "system": name}))
"""
# What of this machine's environment the tests are given, by the beginning of its name.
PASSED_ON = ("HOME", "LANG", "PIP_", "PYENV_VERSION", "TMPDIR")


@dataclass(frozen=True)
class Place:
    """One Python, here or in the root, and its folder of results."""

    version: str
    wheel: Path
    root: DebianRoot | None
    progress: Path

    @property
    def environment(self) -> Path:
        """The virtual environment that the wheel is installed in."""
        return self.progress / self.version

    @property
    def results(self) -> Path:
        """A line of JSON for each group of test files that ran with this wheel."""
        return self.progress / f"{self.version}-{fingerprint(self.wheel)}.jsonl"

    def run(self, *words: str | Path, capture: bool = False) -> subprocess.CompletedProcess[str]:
        """One command with the environment's programs first on the path."""
        path = os.pathsep.join([str(self.environment / "bin"), "/usr/bin", "/bin"])
        if self.root is not None:
            command = self.root.command(*words, PATH=path)
            return subprocess.run(command, cwd=ROOT, check=False, text=True, capture_output=capture)
        path = f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        kept = {name: text for name, text in os.environ.items() if name.startswith(PASSED_ON)}
        return subprocess.run(
            list(map(str, words)),
            cwd=ROOT,
            env={**kept, "PATH": path},
            check=False,
            text=True,
            capture_output=capture,
        )

    def install(self) -> None:
        """The wheel and the requirements of the tests, in a fresh environment."""
        mark = self.environment / "installed"
        if mark.exists() and mark.read_text(encoding="utf-8") == self.results.name:
            return
        shutil.rmtree(self.environment, ignore_errors=True)  # else its half-made Python is found
        base = f"python{self.version}" if self.root is None else f"/usr/bin/python{self.version}"
        made = self.run(base, "-m", "venv", self.environment).returncode
        inside = self.environment / "bin" / "python"
        made = (
            made or self.run(inside, "-m", "pip", "install", "-q", f"{self.wheel}[test]").returncode
        )
        if made:
            raise SystemExit(f"try_pythons: {self.wheel.name} cannot be installed")
        mark.write_text(self.results.name, encoding="utf-8")

    def outcomes(self) -> dict[str, dict[str, Any]]:
        """The latest outcome of each test file."""
        if not self.results.exists():
            return {}
        lines = self.results.read_text(encoding="utf-8").splitlines()
        rows = {row["file"]: row for row in map(json.loads, lines)}
        return {file: row for file, row in rows.items() if row["content"] == content_of(file)}

    def run_group(self, files: list[str]) -> None:
        """Run these test files and write their outcomes down. Without a report all have failed."""
        report = self.progress / f"{self.version}.xml"
        report.unlink(missing_ok=True)
        python = self.environment / "bin" / "python"
        done = self.run(python, "-m", "pytest", *PYTEST, f"--junitxml={report}", *files)
        if done.returncode not in {0, 1, 5}:  # stopped, so what has no case has not run
            report.unlink(missing_ok=True)
        counted = counts(report, files)
        with self.results.open("a", encoding="utf-8") as results:
            for file in files:
                row = {"file": file, "content": content_of(file), **counted[file]}
                results.write(json.dumps(row) + "\n")

    def test_files(self) -> list[str]:
        """The files of its suite."""
        return [
            path.relative_to(ROOT).as_posix()
            for folder in SUITES[self.version]
            for path in sorted((ROOT / folder).glob("test_*.py"))
        ]

    def left(self) -> list[str]:
        """The files that have not run, or failed."""
        known = self.outcomes()
        return [file for file in self.test_files() if file not in known or known[file]["failed"]]

    def row(self, seen: list[str]) -> dict[str, Any]:
        """What tools/make_platforms.py shows of it."""
        python = self.environment / "bin" / "python"
        facts: dict[str, Any] = json.loads(self.run(python, "-c", FACTS, capture=True).stdout)
        known = self.outcomes()
        outcomes = [known[file] for file in self.test_files() if file in known]
        return {
            "wheel": self.wheel.name,
            **facts,
            "tests": list(SUITES[self.version]),
            "files": [len(outcomes), len(self.test_files())],  # that ran, that there are
            "mode": "sim",
            **{word: sum(row[word] for row in outcomes) for word in ("passed", "failed")},
            "failures": sorted(name for row in outcomes for name in row["failures"]),
            "seen": seen,
            "date": datetime.now(timezone.utc).date().isoformat(),
        }


def fingerprint(wheel: Path) -> str:
    """The contents of a wheel, whatever its dates."""
    with zipfile.ZipFile(wheel) as archive:
        rows = sorted((member.filename, member.CRC) for member in archive.infolist())
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


def content_of(file: str) -> str:
    """What a result holds for: a changed test runs again, where it is still there."""
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def counts(report: Path, files: list[str]) -> dict[str, dict[str, Any]]:
    """Of each file: tests that passed and failed, and the names of those that failed."""
    if not report.exists():
        return {
            file: {"passed": 0, "failed": 1, "failures": [f"{file}: no report"]} for file in files
        }
    found: dict[str, dict[str, Any]] = {
        file: {"passed": 0, "failed": 0, "failures": []} for file in files
    }
    modules = {file.removesuffix(".py").replace("/", "."): file for file in files}
    for case in ET.parse(report).iter("testcase"):
        name = case.get("classname") or str(case.get("name"))  # a module that was not imported
        module = next((m for m in modules if name == m or name.startswith(f"{m}.")), None)
        row = found[modules[module] if module else files[0]]
        if case.find("failure") is None and case.find("error") is None:
            row["passed"] += case.find("skipped") is None
        else:
            row["failed"] += 1
            row["failures"].append(f"{name}::{case.get('name')}")
    return found


def groups(files: list[str]) -> Iterator[list[str]]:
    """The files in groups."""
    left = iter(files)
    while group := list(islice(left, GROUP)):
        yield group


def try_python(place: Place, *, report: bool) -> dict[str, Any]:
    """Install, run what has not passed yet, and type the commands."""
    place.install()
    for group in groups([] if report else place.left()):
        place.run_group(group)
    seen = []
    program = place.environment / "bin" / "gpukit"
    for name, words in COMMANDS.items():
        done = place.run(program, *words, capture=True)
        print(f"$ gpukit {' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-2000:]}", flush=True)
        if done.returncode == 0:
            seen.append(name)
    return place.row(seen)


def main() -> int:
    """Try the wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--root", type=Path, help="of tools/debian_root.py")
    parser.add_argument("--python", choices=SUITES, action="append", help="repeatable")
    parser.add_argument("--progress", type=Path, default=ROOT / "build" / "pythons")
    parser.add_argument("--report", action="store_true", help="run no tests")
    parser.add_argument("--rows", type=Path, help="write the rows of tools/make_platforms.py here")
    arguments = parser.parse_args()
    progress = arguments.progress.resolve()
    progress.mkdir(parents=True, exist_ok=True)
    rows = []
    for version in arguments.python or SUITES:
        inside = version in OF_THE_ROOT
        if inside and arguments.root is None:
            raise SystemExit(f"try_pythons: Python {version} runs in a root: give --root")
        wheel = wheel_for(version, arguments.wheels.resolve())
        binds = (arguments.wheels.resolve(), progress)
        root = DebianRoot(arguments.root, binds) if inside else None
        place = Place(version, wheel, root, progress)
        rows.append(row := try_python(place, report=arguments.report))
        tests = ", ".join(row["tests"])
        print(f"{version}: {row['passed']} passed, {row['failed']} failed in {tests}", flush=True)
        if arguments.rows is not None:  # also of a run that is stopped
            arguments.rows.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    complete = all(row["files"][0] == row["files"][1] for row in rows)
    faults = any(row["failed"] or len(row["seen"]) < len(COMMANDS) for row in rows)
    return 0 if complete and not faults else 1


if __name__ == "__main__":
    sys.exit(main())

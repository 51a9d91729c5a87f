"""Run data-apis/array-api-tests against gpukit.array_api and print the score.

The suite and the specification are not on a package index; name checkouts of
https://github.com/data-apis/array-api-tests and https://github.com/data-apis/array-api:

    python tools/array_api_suite.py --suite ../array-api-tests --spec ../array-api

The suite is copied beside its specification. Tests that only the extensions linalg and fft concern
are left out of the score. Needs pytest, hypothesis, ndindex and pytest-json-report (`--path FOLDER`
names a folder that has them).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

VERSION = "2024.12"
# Of the specification against every library: floor division that involves infinities.
DISPUTED = re.compile(r"(floor_divide|__floordiv__|__ifloordiv__)\(.*infinity")


def copied(suite: Path, spec: Path, folder: Path) -> Path:
    """The suite with its specification, in a folder of its own."""
    copy = folder / "suite"
    ignored = shutil.ignore_patterns(".git", "array-api", ".hypothesis")
    shutil.copytree(suite, copy, ignore=ignored)
    for name in ("spec", "src"):
        shutil.copytree(spec / name, copy / "array-api" / name, ignore=ignored)
    return copy


def run(copy: Path, arguments: argparse.Namespace, report: Path) -> None:
    """The suite itself; its exit status says nothing that the report does not say."""
    environment = dict(os.environ)
    environment |= {
        "ARRAY_API_TESTS_MODULE": "gpukit.array_api",
        "ARRAY_API_TESTS_VERSION": VERSION,
        "ARRAY_API_TESTS_MAX_ARRAY_SIZE": str(arguments.max_array_size),
        "PYTHONPATH": os.pathsep.join(
            filter(None, [*map(os.path.abspath, arguments.path), os.environ.get("PYTHONPATH", "")])
        ),
    }
    if arguments.device != "cpu":
        environment["GPUKIT_DEVICE"] = arguments.device
        environment.setdefault("GPUKIT_SIMULATE", "1xT4")
    command = [
        *(sys.executable, "-m", "pytest", "array_api_tests", "-q", "-p", "no:cacheprovider"),
        *("--disable-extension", "linalg", "fft"),
        *("--max-examples", str(arguments.max_examples), "--disable-deadline"),
        *("--derandomize", f"--junit-xml={report}", "--tb=short", "-W", "ignore"),
        *arguments.pytest,
    ]
    log = arguments.log.open("w", encoding="utf-8") if arguments.log else subprocess.DEVNULL
    subprocess.run(
        command, cwd=copy, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
    )


def verdict(case: ET.Element) -> tuple[str, str]:
    """(verdict, name) of one test of the report."""
    name = case.get("name", "")
    if "linalg" in name or "fft" in name:
        return "out of scope", name
    failed = case.find("failure") is not None or case.find("error") is not None
    if failed and DISPUTED.search(name):
        return "disputed", name
    if failed:
        return "failed", name
    return ("skipped" if case.find("skipped") is not None else "passed"), name


def main() -> int:
    """Run, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--suite", type=Path, required=True, help="checkout of array-api-tests")
    parser.add_argument("--spec", type=Path, required=True, help="checkout of array-api")
    parser.add_argument("--device", default="cpu", help="default device of the run")
    parser.add_argument("--max-examples", type=int, default=20)
    parser.add_argument("--max-array-size", type=int, default=256)
    parser.add_argument("--goal", type=float, default=97.0, help="percent that must pass")
    parser.add_argument("--path", action="append", default=[], help="folder with packages to use")
    parser.add_argument("--log", type=Path, help="file for the suite's own output")
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(arguments.suite.resolve(), arguments.spec.resolve(), Path(folder))
        report = Path(folder) / "report.xml"
        run(copy, arguments, report)
        if not report.exists():
            raise SystemExit("array_api_suite: the suite did not run; see --log")
        verdicts = [verdict(case) for case in ET.parse(report).iter("testcase")]
    counts = Counter(kind for kind, _ in verdicts)
    for name in sorted(name for kind, name in verdicts if kind == "failed"):
        print(f"failed: {name}")
    judged = counts["passed"] + counts["failed"]
    score = 100 * counts["passed"] / max(judged, 1)
    others = ", ".join(f"{counts[kind]} {kind}" for kind in ("skipped", "disputed", "out of scope"))
    print(
        f"array API {VERSION} on {arguments.device}: {counts['passed']} of {judged} pass, "
        f"{score:.1f} % ({others})"
    )
    return 0 if score >= arguments.goal else 1


if __name__ == "__main__":
    sys.exit(main())

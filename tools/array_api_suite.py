"""Run data-apis/array-api-tests against gpukit.array_api, by name, and print the score.

The suite and the specification are not on a package index; name checkouts of
https://github.com/data-apis/array-api-tests and https://github.com/data-apis/array-api:

    python tools/array_api_suite.py --suite ../array-api-tests --spec ../array-api

The suite is copied beside its specification. tools/array_api_exceptions.json lists the tests that
may fail, each with the reason and the libraries that fail it too; any other failure is an error.
`--module numpy` runs another library's namespace, to check that. `--record` writes the score to
tools/array_api_record.json. Needs pytest, hypothesis, ndindex and pytest-json-report (`--path
FOLDER` names a folder that has them).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

VERSIONS = ("2024.12", "2025.12")
HERE = Path(__file__).resolve().parent
EXCEPTIONS, RECORD = HERE / "array_api_exceptions.json", HERE / "array_api_record.json"


def copied(suite: Path, spec: Path, folder: Path) -> Path:
    """The suite with its specification, in a folder of its own."""
    copy = folder / "suite"
    ignored = shutil.ignore_patterns(".git", "array-api", ".hypothesis")
    shutil.copytree(suite, copy, ignore=ignored)
    for name in ("spec", "src"):
        shutil.copytree(spec / name, copy / "array-api" / name, ignore=ignored)
    return copy


def run(
    copy: Path, arguments: argparse.Namespace, version: str, absent: list[str], report: Path
) -> None:
    """The suite itself; its exit status says nothing that the report does not say."""
    environment = dict(os.environ)
    environment |= {
        "ARRAY_API_TESTS_MODULE": arguments.module,
        "ARRAY_API_TESTS_VERSION": version,
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
        *(["--disable-extension", *absent] if absent else []),
        *("--max-examples", str(arguments.max_examples), "--disable-deadline"),
        *("--derandomize", f"--junit-xml={report}", "--tb=short", "-W", "ignore"),
        *arguments.pytest,
    ]
    log = arguments.log.open("w", encoding="utf-8") if arguments.log else subprocess.DEVNULL
    subprocess.run(
        command, cwd=copy, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
    )


def verdict(case: ET.Element, version: str, absent: list[str]) -> tuple[str, str]:
    """(verdict, name) of one test of the report."""
    name = case.get("name", "")
    if any(extension in name for extension in absent):
        return "of no extension", name
    if case.find("failure") is None and case.find("error") is None:
        return ("skipped" if case.find("skipped") is not None else "passed"), name
    for row in json.loads(EXCEPTIONS.read_text(encoding="utf-8")):
        if version in row["versions"] and re.search(row["pattern"], name):
            return "excepted", name
    return "failed", name


def score(copy: Path, arguments: argparse.Namespace, version: str) -> dict[str, Any]:
    """One run, counted and printed."""
    module = importlib.import_module(arguments.module)
    absent = [extension for extension in ("linalg", "fft") if not hasattr(module, extension)]
    report = copy.parent / f"report{version}.xml"
    run(copy, arguments, version, absent, report)
    if not report.exists():
        raise SystemExit("array_api_suite: the suite did not run; see --log")
    cases = [verdict(case, version, absent) for case in ET.parse(report).iter("testcase")]
    counts = Counter(kind for kind, _ in cases)
    for kind in ("failed", "excepted"):
        for name in sorted(name for found, name in cases if found == kind):
            print(f"{kind}: {name}")
    judged = counts["passed"] + counts["failed"] + counts["excepted"]
    percent = round(100 * counts["passed"] / max(judged, 1), 2)
    print(
        f"array API {version} of {arguments.module} on {arguments.device}: {counts['passed']} of "
        f"{judged} pass, {percent} %; {counts['excepted']} excepted, {counts['failed']} failed, "
        f"{counts['skipped']} skipped, without {absent or 'nothing'}"
    )
    return {
        "version": version,
        "device": arguments.device,
        "examples": arguments.max_examples,
        "passed": counts["passed"],
        "failed": counts["failed"],
        "excepted": counts["excepted"],
        "skipped": counts["skipped"],
        "extensions": sorted({"linalg", "fft"} - set(absent)),
    }


def main() -> int:
    """Run, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--suite", type=Path, required=True, help="checkout of array-api-tests")
    parser.add_argument("--spec", type=Path, required=True, help="checkout of array-api")
    parser.add_argument("--device", default="cpu", help="default device of the run")
    parser.add_argument("--max-examples", type=int, default=20)
    parser.add_argument("--max-array-size", type=int, default=256)
    parser.add_argument("--version", action="append", choices=VERSIONS, help="default: each")
    parser.add_argument("--module", default="gpukit.array_api", help="namespace to run")
    parser.add_argument("--record", action="store_true", help="write the score to a file")
    parser.add_argument("--path", action="append", default=[], help="folder with packages to use")
    parser.add_argument("--log", type=Path, help="file for the suite's own output")
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(arguments.suite.resolve(), arguments.spec.resolve(), Path(folder))
        scores = [score(copy, arguments, version) for version in arguments.version or VERSIONS]
    if arguments.record:
        text = json.dumps(scores, indent=2) + "\n"
        RECORD.write_text(text, encoding="utf-8")
    return 1 if any(found["failed"] for found in scores) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Records of the stages of .ci/run that run by name only: what was seen, of which sources.

`python tools/check_records.py` lists each stage with its record, and exits with 1 if one is
missing, failed, or stale: a folder that the stage covers has changed since. `--write STAGE --log
FILE` writes tests/records/STAGE.json after a run (`.ci/run STAGE` calls it); commit that file.
`--commit` names the sources that the stage began with, when commits may have been made since.
`--rows FILE` adds the rows of tools/make_platforms.py, a JSON list, if the stage wrote them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tests" / "records"

# Stage -> the files and folders whose change makes its record stale.
COVERS: dict[str, tuple[str, ...]] = {
    "aarch64": ("cmake", "csrc/cpu", "tools/cross_build.py", "tools/try_aarch64.py"),
    "aarch64_sim": ("cmake", "csrc/sim", "tools/cross_build.py", "tools/try_aarch64.py"),
    "cuda_programs": ("csrc/ptx", "csrc/sim", "examples/cuda"),
    "engines_long": (
        "python/gpukit/distributed",
        "python/gpukit/interop",
        "python/gpukit/nn/_distributed.py",
        "python/gpukit/nn/_reducer.py",
        "python/gpukit_dask",
        "tests/engines",
    ),
    "gpu_day": ("csrc", "python/gpukit", "benchmarks/gpu_day"),
    "hosted": ("csrc", "python/gpukit", "pyproject.toml", "tools/try_hosted.py"),
    "links": ("docs", "README.md"),
    "mutate": ("csrc/kernels", "csrc/sim", "tests/cpp"),
    "numba": ("csrc/ptx", "csrc/sim", "tools/try_numba.py", "tools/numba_refused.txt"),
    "ptx_archs": ("csrc/ptx", "csrc/kernels", "csrc/sim"),
    "pythons": (
        "csrc",
        "python/gpukit",
        "pyproject.toml",
        "tools/debian_root.py",
        "tools/try_pythons.py",
    ),
    "release": (
        *("pyproject.toml", "CMakeLists.txt", "cmake", "csrc/CMakeLists.txt"),
        *("tools/build_wheels.py", "tools/cross_build.py", "tools/pack_wheel.py"),
        "tools/release.py",
    ),
    "sdist": ("pyproject.toml", "CMakeLists.txt", "cmake", "csrc/CMakeLists.txt"),
}

COUNT = re.compile(r"\b(\d+) (passed|failed|skipped|errors?|xfailed|deselected)\b")


@dataclass(frozen=True)
class Record:
    """One run of one stage."""

    stage: str
    result: str
    commit: str
    date: str
    covers: dict[str, str]  # path -> git's hash of its contents
    counts: dict[str, int] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)


def git(*arguments: str, root: Path = ROOT) -> str:
    """What git prints; an error ends the program with git's own words."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"check_records: git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def content_hashes(
    paths: tuple[str, ...], root: Path = ROOT, commit: str = "HEAD"
) -> dict[str, str]:
    """Git's hash of each path as it is in a commit."""
    return {path: git("rev-parse", f"{commit}:{path}", root=root) for path in paths}


def counts_in(log: str) -> dict[str, int]:
    """The sums of what the test runners of a log counted."""
    counts: dict[str, int] = {}
    for line in log.splitlines():
        if " in " not in line:  # the last line of a pytest run says how long it took
            continue
        for number, word in COUNT.findall(line):
            counts[word] = counts.get(word, 0) + int(number)
    return counts


def make_record(
    stage: str,
    result: str,
    log: str,
    root: Path = ROOT,
    rows: list[dict[str, Any]] | None = None,
    *,
    commit: str = "HEAD",
) -> Record:
    """The record of a run of `commit` that has just ended. Refuses what is not committed."""
    if stage not in COVERS:
        raise SystemExit(f"check_records: no stage {stage!r}; stages: {', '.join(sorted(COVERS))}")
    if changed := git("status", "--porcelain", "--", *COVERS[stage], root=root):
        raise SystemExit(f"check_records: not committed, so no record:\n{changed}")
    return Record(
        stage,
        result,
        git("rev-parse", commit, root=root),
        datetime.now(timezone.utc).date().isoformat(),
        content_hashes(COVERS[stage], root, commit),
        # A log of many runs has each count several times.
        {word: sum(row[word] for row in rows) for word in ("passed", "failed")}
        if rows
        else counts_in(log),
        rows or [],
    )


def write_record(record: Record, folder: Path = RECORDS) -> Path:
    """The record as tests/records/STAGE.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.stage}.json"
    path.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    return path


def read_record(stage: str, folder: Path = RECORDS) -> Record | None:
    """The committed record of a stage; None if it never ran."""
    path = folder / f"{stage}.json"
    return Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def fault_of(stage: str, record: Record | None, root: Path = ROOT) -> str:
    """Why a record does not count, or "" if it does."""
    if record is None:
        return "never ran"
    if record.result != "ok":
        return f"{record.result} on {record.date}"
    now = content_hashes(COVERS[stage], root)
    changed = [path for path in COVERS[stage] if record.covers.get(path) != now[path]]
    return f"stale: {', '.join(changed)} changed since {record.date}" if changed else ""


def faults(root: Path = ROOT, folder: Path = RECORDS) -> Iterator[tuple[str, str]]:
    """Each stage and why its record does not count, or ""."""
    for stage in sorted(COVERS):
        yield stage, fault_of(stage, read_record(stage, folder), root)


def main() -> int:
    """List the records, or write one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", metavar="STAGE", help="a stage that has just run")
    parser.add_argument("--result", choices=["ok", "failed"], default="ok")
    parser.add_argument("--commit", default="HEAD", help="what the stage began with")
    parser.add_argument("--log", type=Path, help="what the stage printed")
    parser.add_argument(
        "--rows", type=Path, help="what the stage wrote for tools/make_platforms.py"
    )
    arguments = parser.parse_args()
    if arguments.write:
        log = arguments.log.read_text(encoding="utf-8", errors="replace") if arguments.log else ""
        wrote = arguments.rows is not None and arguments.rows.exists()
        rows = json.loads(arguments.rows.read_text(encoding="utf-8")) if wrote else []
        made = make_record(
            arguments.write, arguments.result, log, rows=rows, commit=arguments.commit
        )
        path = write_record(made)
        print(f"check_records: wrote {path.relative_to(ROOT)}; commit it")
        return 0
    found = list(faults())
    for stage, fault in found:
        print(f"{stage:12} {fault or 'ok'}")
    return 1 if any(fault for _, fault in found) else 0


if __name__ == "__main__":
    sys.exit(main())

"""tools/check_records.py: which records of by-name stages still count."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support.mode import PROJECT
from support.tools import load_tool

check_records = load_tool("check_records")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch) -> Path:
    """A git repository with two folders, one of which the stage `links` covers."""
    monkeypatch.setattr(check_records, "COVERS", {"links": ("docs",)})
    for name in ("docs", "csrc"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("1\n")
    commit(tmp_path, first=True)
    return tmp_path


def commit(root: Path, *, first: bool = False) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    if first:
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "x"], cwd=root, check=True)


def fault(root: Path) -> str:
    return dict(check_records.faults(root, root / "records"))["links"]


def record(root: Path, result: str = "ok") -> None:
    made = check_records.make_record("links", result, "== 12 passed in 3.1s ==", root)
    check_records.write_record(made, root / "records")


def test_a_stage_that_never_ran_is_listed(repository: Path) -> None:
    assert fault(repository) == "never ran"


def test_a_record_counts_until_what_it_covers_changes(repository: Path) -> None:
    record(repository)
    assert fault(repository) == ""
    (repository / "csrc" / "a.txt").write_text("2\n")
    commit(repository)
    assert fault(repository) == ""
    (repository / "docs" / "a.txt").write_text("2\n")
    commit(repository)
    assert re.fullmatch(r"stale: docs changed since \d{4}-\d\d-\d\d", fault(repository))
    record(repository)
    assert fault(repository) == ""


def test_a_failed_run_does_not_count(repository: Path) -> None:
    record(repository, "failed")
    assert fault(repository).startswith("failed on ")


def test_changes_that_are_not_committed_get_no_record(repository: Path) -> None:
    (repository / "docs" / "a.txt").write_text("2\n")
    with pytest.raises(SystemExit, match=r"not committed, so no record:\n.*docs/a\.txt"):
        record(repository)


def test_commits_made_during_a_long_run_are_not_what_it_ran(repository: Path) -> None:
    began = check_records.git("rev-parse", "HEAD", root=repository)
    (repository / "docs" / "a.txt").write_text("2\n")
    commit(repository)
    made = check_records.make_record("links", "ok", "", repository, commit=began)
    check_records.write_record(made, repository / "records")
    assert made.commit == began
    assert fault(repository).startswith("stale: docs changed")


def test_an_unknown_stage_gets_no_record() -> None:
    with pytest.raises(SystemExit, match="no stage 'lunch'"):
        check_records.make_record("lunch", "ok", "")


def test_counts_are_summed_over_the_runs_of_a_log() -> None:
    log = "= 10 passed, 1 skipped in 2.0s =\nchecked 5 passed by\n= 5 passed in 1.0s (0:00:01) ="
    assert check_records.counts_in(log) == {"passed": 15, "skipped": 1}


def test_every_covered_path_exists() -> None:
    paths = [path for covered in check_records.COVERS.values() for path in covered]
    assert [path for path in paths if not (PROJECT / path).exists()] == []


def test_every_stage_by_name_has_a_row() -> None:
    """The stages of .ci/run are those that run by default, and those with records."""
    script = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
    stages = set(re.findall(r"^stage_(\w+)\(\)", script, re.MULTILINE))
    default = set(re.search(r'^default="([^"]+)"', script, re.MULTILINE)[1].split())
    assert stages - default == set(check_records.COVERS)
    assert default <= stages

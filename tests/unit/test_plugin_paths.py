"""The plugin's files: whatever their names and folders, results match or the run fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from support.plugin import ALONE, ALONE_OPTIONS, PLUGIN_OPTIONS

MEASURES = """
import pytest

@pytest.mark.parametrize("n", [10, 100], ids=["a b", "c|d::e"])
def test_add(gpubench, n):
    gpubench(sum, range(n), repeats=200)

def test_twice(gpubench):
    for _ in range(2):
        gpubench(sum, range(10), repeats=200)
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "my project" / "tests"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text(MEASURES)
    return folder


def pytest_in(folder, *options, **environment):
    return _pytest(folder, *ALONE_OPTIONS, *options, **ALONE, **environment)


def pytest_with_all_plugins_in(folder, *options):
    return _pytest(folder, *PLUGIN_OPTIONS, *options)


def _pytest(folder, *options, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, **environment},
    )


def slowed(source, target, factor=1e-3):
    """The results of before as if all had been quicker, surely: now all is slower."""
    document = json.loads(source.read_text())
    for row in document["rows"]:
        row.update(dict.fromkeys(("low", "high"), row["median"] * factor))
        row["median"] *= factor
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document))


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A file of results of the project."""
    folder = tmp_path_factory.mktemp("before")
    (folder / "test_it.py").write_text(MEASURES)
    assert pytest_in(folder, "--gpubench-json=results.json").returncode == 0
    return folder / "results.json"


@pytest.fixture
def results(measured, tmp_path):
    """A copy of it that a test may change."""
    return shutil.copy(measured, tmp_path / "results.json")


NAMES = [
    "with space.json",
    "ümläut ✓.json",
    "a'quote\"",
    "elsewhere/deep/before.json",
    "-dash.json",
]


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)))
def test_a_slower_result_is_found_wherever_the_file_lies(project, results, tmp_path, number, name):
    """A file that is named apart changes pytest's root, and so the ids of all tests."""
    path = tmp_path / name
    slowed(results, path)
    given = ("--gpubench-compare", str(path)) if number % 2 else (f"--gpubench-compare={path}",)
    done = pytest_in(project, *given, "--gpubench-fail=10%")
    assert done.returncode == 1, done.stdout
    assert "4 results are slower" in done.stdout


@pytest.mark.parametrize(("start", "ini"), [(".", True), ("..", False), ("../..", True)])
def test_results_match_whatever_folder_pytest_starts_in(project, results, tmp_path, start, ini):
    if ini:
        (project.parent / "pytest.ini").write_text("[pytest]\n")
    slowed(results, results)
    folder = (project / start).resolve()
    done = pytest_in(
        folder,
        str(project / "test_it.py"),
        "--gpubench-compare",
        str(results),
        "--gpubench-fail=10",
    )
    assert done.returncode == 1, done.stdout
    assert "4 results are slower" in done.stdout


@pytest.mark.parametrize("options", [(), ("--gpubench-fail=10%",)])
def test_results_of_other_tests_fail_the_run(project, results, options):
    text = results.read_text().replace("test_add", "test_other").replace("test_twice", "test_two")
    results.write_text(text)
    done = pytest_in(project, "--gpubench-compare", str(results), *options)
    assert done.returncode == 1, done.stdout
    assert "nothing was compared" in done.stdout


def test_a_gate_without_results_fails(project, results):
    (project / "test_it.py").write_text("def test_it(): pass\n")
    assert pytest_in(project, f"--gpubench-compare={results}").returncode == 0
    done = pytest_in(project, f"--gpubench-compare={results}", "--gpubench-fail=10%")
    assert done.returncode == 1, done.stdout


def test_a_new_test_is_said_and_passes(project, results):
    (project / "test_new.py").write_text(MEASURES)
    done = pytest_in(project, f"--gpubench-compare={results}")
    assert done.returncode == 0, done.stdout
    assert "4 results are not in" in done.stdout
    assert "test_new.py::test_add" in done.stdout


def test_one_file_is_written_and_compared_with_what_it_held(project, results):
    slowed(results, results)
    done = pytest_in(
        project,
        f"--gpubench-json={results}",
        f"--gpubench-compare={results}",
        "--gpubench-fail=10%",
    )
    assert done.returncode == 1, done.stdout
    assert "4 results are slower" in done.stdout


def test_a_folder_that_tests_change_does_not_move_the_files(project, tmp_path):
    (project / "conftest.py").write_text(
        f"import os\ndef pytest_runtest_setup(item):\n    os.chdir({str(tmp_path)!r})\n"
    )
    assert pytest_in(project, "--gpubench-json", "here.json").returncode == 0
    assert (project / "here.json").is_file()


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--gpubench-compare", "missing.json", "cannot read"),
        ("--gpubench-compare", ".", "cannot read"),
        ("--gpubench-compare", "", "empty"),
        ("--gpubench-compare", "test_it.py", "cannot read"),
        ("--gpubench-json", "missing folder/r.json", "no such folder"),
        ("--gpubench-json", ".", "cannot be written"),
        ("--gpubench-json", " ", "empty"),
    ],
)
def test_a_file_that_cannot_be_had_is_a_usage_error_at_once(project, option, value, words):
    done = pytest_in(project, f"{option}={value}")
    assert done.returncode == 4, done.stdout + done.stderr
    assert words in done.stdout + done.stderr
    assert "passed" not in done.stdout


def test_the_home_folder_is_known(project, results, tmp_path):
    slowed(results, tmp_path / "before.json")
    done = pytest_in(
        project, "--gpubench-compare=~/before.json", "--gpubench-fail=10%", HOME=str(tmp_path)
    )
    assert done.returncode == 1, done.stdout


def test_results_of_other_processes_are_kept(project, results, tmp_path):
    slowed(results, results)
    target = tmp_path / "now.json"
    done = pytest_with_all_plugins_in(
        project,
        "-n1",
        f"--gpubench-json={target}",
        f"--gpubench-compare={results}",
        "--gpubench-fail=10%",
    )
    assert done.returncode == 1, done.stdout
    assert "4 results are slower" in done.stdout
    assert len(json.loads(target.read_text())["rows"]) == 4

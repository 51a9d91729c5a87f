"""`benchmarks/gpu_day.sh --simulate`: the day's script runs, and reports what failed."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import gettempdir

import pytest

from support.mode import PROJECT
from support.tools import load_tool

code_cells = load_tool("lesson_text").code_cells
SCRIPT = PROJECT / "benchmarks" / "gpu_day.sh"


def run_day(out, *arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    environment["PYTHON"] = sys.executable
    command = ["bash", str(SCRIPT), "--simulate", "--out", str(out), *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=110
    )


def kept(out):
    """The text of every file of a day."""
    return "".join(file.read_text(encoding="utf-8") for file in sorted(out.glob("*")))


def assert_names_nobody(text, folder):
    """No host, no user, no folder and no serial number, as far as this machine has them."""
    private = {folder, folder.resolve(), PROJECT, Path.home(), sys.prefix, gettempdir()}
    private |= {platform.node(), getpass.getuser()}
    for name in {str(entry) for entry in private} - {"", "/"}:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        assert not found, text[max(0, found.start() - 200) : found.end() + 200]
    assert "uuid" not in text.lower()
    assert not re.search(r"GPU-[0-9a-f]{8}|[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.", text)


@pytest.mark.parametrize(
    "stage", ["machine", "kernels", "measure", "peers", "sanitizer", "approximations"]
)
def test_a_stage_writes_its_rows(tmp_path, stage):
    done = run_day(tmp_path, "--stage", stage)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((tmp_path / f"{stage}.json").read_text())
    assert document["ending"] == "ok"
    assert document["simulated"]
    assert document["rows"]
    report = (tmp_path / "report.md").read_text()
    assert "No figure here is a GPU's" in report
    assert f"`--stage {stage}`" in report
    assert_names_nobody(kept(tmp_path), tmp_path)


def test_a_failing_stage_does_not_stop_the_next(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif 'gpu_day.measure' in sys.orig_argv: raise SystemExit(5)\n"
    )
    os_path = os.environ.get("PYTHONPATH", "")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os_path}"}
    command = ["bash", str(SCRIPT), "--simulate", "--out", str(tmp_path / "out")]
    command += ["--stage", "measure", "--stage", "machine"]
    environment["PYTHON"] = sys.executable
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 1
    endings = [
        json.loads((tmp_path / "out" / f"{stage}.json").read_text())["ending"]
        for stage in ("measure", "machine")
    ]
    assert endings[0].startswith("exit code")
    assert endings[1] == "ok"


def test_missing_packages_are_named_before_anything_runs(tmp_path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    environment["PYTHON"] = str(bare / "bin" / "python")
    command = ["bash", str(SCRIPT), "--simulate", "--out", str(tmp_path / "out")]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 2
    assert "has no gpukit, hypothesis" in done.stderr
    assert 'pip install ".[test]"' in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.fixture
def day(monkeypatch):
    """The environment of a stage, with `gpu_day` importable here and there."""
    monkeypatch.syspath_prepend(PROJECT / "benchmarks")
    monkeypatch.setenv("GPUKIT_TEST_MODE", "sim")
    path = [str(PROJECT / "benchmarks"), os.environ.get("PYTHONPATH", "")]
    parts = {"GPU_DAY_PARTS": "1", "GPU_DAY_SEED": "1", "PYTHONPATH": os.pathsep.join(path)}
    return {**os.environ, **parts}


def test_a_crash_or_a_limit_loses_no_outcome(tmp_path, day):
    from gpu_day.suite import run_tests

    (tmp_path / "test_endings.py").write_text(
        "import os, time\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 1 == 2\n"
        "def test_last(): os._exit(3) if os.environ.get('CRASH') else time.sleep(60)\n"
    )
    for environment, words in ((day | {"CRASH": "1"}, "ended with 3"), (day, "stopped after")):
        limit = 60 if "CRASH" in environment else 8
        seen, ending = run_tests(tmp_path / "outcomes", [str(tmp_path)], environment, limit)
        assert words in ending
        names = {name.split("::")[1]: outcome for name, (outcome, _) in seen.items()}
        assert names == {
            "test_good": "passed",
            "test_bad": "failed",
            "test_last": "not finished",
        }
        assert "1 == 2" in next(message for _, message in seen.values() if message)


def test_the_children_of_a_stage_end_with_it(tmp_path, day):
    from gpu_day.__main__ import run_limited

    alive = tmp_path / "alive"
    child = f"import time\nwhile True: open({str(alive)!r}, 'a').write('.'); time.sleep(0.05)"
    stage = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run_limited([sys.executable, "-c", stage], day, 3.0) == "stopped after 3 s"
    time.sleep(0.3)
    size = alive.stat().st_size
    assert size > 0
    time.sleep(0.3)
    assert alive.stat().st_size == size


def test_the_notebook_prints_all_that_it_would_share(tmp_path):
    (tmp_path / "benchmarks").symlink_to(PROJECT / "benchmarks")
    page = (PROJECT / "docs" / "hardware-notebook.md").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code_cells(page))],
        env={**os.environ, "GPU_DAY_STAGES": "machine kernels instructions"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    assert "simulated: no figure below is a GPU's" in done.stdout
    for stage in ("machine", "kernels", "instructions"):
        assert f"{stage}: ok, " in done.stdout
    shared = (tmp_path / "gpu_day.json").read_text(encoding="utf-8")
    assert done.stdout.endswith(shared + "\n")
    documents = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((tmp_path / "gpu_day_results").glob("*.json"))
    ]
    assert json.loads(shared) == documents
    assert len(documents) == 3
    assert_names_nobody(done.stdout, tmp_path)
    assert_names_nobody(kept(tmp_path / "gpu_day_results"), tmp_path)

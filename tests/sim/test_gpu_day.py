"""`benchmarks/gpu_day.sh --simulate`: the day's script runs, and reports what failed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from support.mode import PROJECT

SCRIPT = PROJECT / "benchmarks" / "gpu_day.sh"


def run_day(out, *arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    environment["PYTHON"] = sys.executable
    command = ["bash", str(SCRIPT), "--simulate", "--out", str(out), *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=110
    )


@pytest.mark.parametrize("stage", ["machine", "measure", "peers", "sanitizer"])
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

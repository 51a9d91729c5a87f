"""The GitHub Action: its scripts run as on a runner, and later steps are tried."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from support.mode import PROJECT

ACTION = PROJECT / ".github" / "actions" / "simulate-gpu" / "action.yml"
PAGE = PROJECT / "docs" / "cuda-programs.md"
LATER = """
import ctypes, os
driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
ctypes.CDLL("libnvidia-ml.so.1")
driver.cuTexRefCreate(None)  # not implemented, and so logged
print(count.value, os.environ["GPUKIT_SIMULATE"])
"""
# Prints the arguments of pip, and is Python otherwise.
PYTHON = """#!/bin/sh
if [ "$2" = pip ]; then echo "$@" >>"$TOLD"; else exec "{real}" "$@"; fi
"""


class Step:
    """One step of the action: its script, and where its variables come from."""

    def __init__(self, text: str) -> None:
        self.variables = dict(
            re.findall(r"^ +([A-Z]+): \$\{\{ inputs\.(\w+) \}\}$", text, re.MULTILINE)
        )
        _, run = text.split("run: |\n")
        self.script = dedent(run)


def steps() -> list[Step]:
    """As PyYAML would read them; the tests need no more than pytest."""
    _, text = ACTION.read_text(encoding="utf-8").split("  steps:\n")
    found = [Step(part) for part in re.split(r"^    - ", text, flags=re.MULTILINE)[1:]]
    assert [step.script.count("\n") > 2 for step in found] == [True, True]
    return found


def defaults() -> dict[str, str]:
    """Inputs and their defaults."""
    text = ACTION.read_text(encoding="utf-8").split("inputs:\n")[1].split("\nruns:")[0]
    rows = re.findall(r"^  (\w+):\n(?:    .*\n)*?    default: (.*)$", text, re.MULTILINE)
    return {name: value.strip('"') for name, value in rows}


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables and folders of a runner, and a Python that installs nothing."""
    for name in ("temp", "work space"):
        (tmp_path / name).mkdir()
    python = tmp_path / "python"
    python.write_text(PYTHON.format(real=sys.executable))
    python.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    yield {
        **environment,
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_ENV": str(tmp_path / "env"),
        "GITHUB_WORKSPACE": str(tmp_path / "work space"),
        "GITHUB_ACTION_PATH": str(ACTION.parent),
        "TOLD": str(tmp_path / "pip"),
        "own python": str(python),
    }
    shutil.rmtree(tmp_path / "temp")


def run(runner: dict[str, str], **given: str) -> subprocess.CompletedProcess[str]:
    """All steps with these inputs; the last result."""
    inputs = {**defaults(), "python": runner["own python"], **given}
    done = subprocess.CompletedProcess([], 1, "", "")
    for step in steps():
        own = {name: inputs[key] for name, key in step.variables.items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.script],
            env={**runner, **own},
            cwd=runner["GITHUB_WORKSPACE"],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        if done.returncode:
            break
    return done


def written(runner: dict[str, str]) -> dict[str, str]:
    """What later steps find in their environment."""
    file = Path(runner["GITHUB_ENV"])
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return dict(line.split("=", 1) for line in lines)


def test_later_steps_find_the_devices(runner: dict[str, str]) -> None:
    done = run(runner, gpus="3xT4", check="memory,race", log="calls.log")
    assert done.returncode == 0, done.stderr
    variables = written(runner)
    assert set(variables) == {"GPUKIT_SIMULATE", "LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_CACHE_PATH"}
    later = subprocess.run(
        [sys.executable, "-c", LATER],
        env={**runner, **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    log = Path(runner["GITHUB_WORKSPACE"]) / "calls.log"
    assert later.stdout == f"3 3xT4,check=memory,race,log={log}\n", later.stderr
    assert "cuTexRefCreate is not implemented" in log.read_text()
    (folder,) = Path(runner["RUNNER_TEMP"]).glob("gpukit-sim-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert variables["LD_LIBRARY_PATH"].split(os.pathsep)[0] == str(folder)


def test_a_wrong_input_ends_the_step(runner: dict[str, str]) -> None:
    done = run(runner, gpus="3xT9")
    assert done.returncode != 0
    assert "there is no card 'T9'" in done.stderr
    assert written(runner) == {}
    assert list(Path(runner["RUNNER_TEMP"]).glob("gpukit-sim-*")) == []


@pytest.mark.parametrize(
    ("package", "told"),
    [
        ("installed", ""),
        ("", f"-m pip install {ACTION.parent}/../../..\n"),
        ("dist/a b.whl", "-m pip install dist/a b.whl\n"),
    ],
)
def test_what_is_installed(runner: dict[str, str], package: str, told: str) -> None:
    assert run(runner, package=package, gpus="T9").returncode != 0  # the second step fails
    file = Path(runner["TOLD"])
    assert (file.read_text() if file.exists() else "") == told
    assert (ACTION.parent / "../../.." / "pyproject.toml").resolve() == PROJECT / "pyproject.toml"


def test_the_pages_example_gives_inputs_that_there_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert f"gpukit/{ACTION.parent.relative_to(PROJECT).as_posix()}@" in example
    given = dict(re.findall(r"^    (\w+): (.*)$", example, re.MULTILINE))
    assert given
    assert set(given) <= set(defaults())

"""`gpukit sim 2xT4 -- CMD`: the folder in which a program finds the simulated driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LOOK = """
import ctypes, os, stat, sys
folder = os.environ["LD_LIBRARY_PATH"].split(":")[0]
print(folder)
print(oct(stat.S_IMODE(os.stat(folder).st_mode)), sorted(os.listdir(folder)))
driver, count, version = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_int()
assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
assert driver.cuDriverGetVersion(ctypes.byref(version)) == 0
nvml = ctypes.CDLL("libnvidia-ml.so.1")
print(count.value, version.value)
"""
# A package with the name of NVIDIA's, and a start-up file of the user's own.
FINDER = """
class DynamicLibNotFoundError(RuntimeError): pass
def load_nvidia_dynamic_lib(name): return "found " + name
"""
ASK = """
import cuda.pathfinder
from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
print(load_nvidia_dynamic_lib("nvrtc"))
try:
    load_nvidia_dynamic_lib("nvJitLink")
except DynamicLibNotFoundError as error:
    print(error)
import sitecustomize, builtins, os
print(os.path.basename(os.path.realpath(sitecustomize.__file__)))
print(sitecustomize.__doc__ is not None, getattr(builtins, "own_start", None))
"""


def sim(*command: str, cards: str = "2xT4", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpukit", "sim", cards, "--", *command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(("cards", "version"), [("2xT4", 13000), ("2xT4,driver=535", 12020)])
def test_the_folder_is_private_and_gone_afterwards(cards: str, version: int) -> None:
    done = sim("python", "-c", LOOK, cards=cards)
    assert done.returncode == 0, done.stderr
    folder, listing, found = done.stdout.splitlines()
    assert listing == "0o700 ['libcuda.so', 'libcuda.so.1', 'libnvidia-ml.so.1', 'python']"
    assert found == f"2 {version}"
    assert not Path(folder).exists()


@pytest.mark.parametrize("status", [0, 3])
def test_the_status_is_the_commands(status: int) -> None:
    assert sim("python", "-c", f"raise SystemExit({status})").returncode == status


def test_a_command_that_is_not_there() -> None:
    done = sim("no-such-program")
    assert done.returncode == 1
    assert "gpukit sim: cannot run 'no-such-program'" in done.stderr


def test_a_signal_that_ends_the_command_ends_both(tmp_path: Path) -> None:
    wait = (
        "import os, pathlib, time; "
        "pathlib.Path(os.environ['TOLD']).write_text(os.environ['LD_LIBRARY_PATH']); "
        "time.sleep(60)"
    )
    told = tmp_path / "told"
    with subprocess.Popen(
        [sys.executable, "-m", "gpukit", "sim", "T4", "--", "python", "-c", wait],
        env={**os.environ, "TOLD": str(told)},
    ) as process:
        until = time.monotonic() + 50
        while not told.exists() or not told.read_text():
            assert time.monotonic() < until
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGTERM
    assert not Path(told.read_text().split(":")[0]).exists()


def test_nvjitlink_is_hidden_and_other_start_up_files_run(tmp_path: Path) -> None:
    package = tmp_path / "cuda" / "pathfinder"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(FINDER)
    own = "import builtins; builtins.own_start = 'ran'"
    (tmp_path / "sitecustomize.py").write_text(own)
    done = sim(sys.executable, "-c", ASK, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "found nvrtc",
        "nvJitLink is hidden by gpukit sim: the simulated driver runs PTX",
        "start.py",  # the name of a file that exists when the folder is gone
        "True ran",
    ]

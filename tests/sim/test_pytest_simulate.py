"""`pytest --gpukit-simulate 2xT4` in a project that does not use gpukit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.plugin import ALONE, ALONE_OPTIONS, PLUGIN_OPTIONS

# What a binding of the driver does, in the standard library alone.
BINDING = '''
import ctypes, os
from ctypes import byref, c_int, c_uint64, c_void_p
PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry racy(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry beyond(.param .u64 out) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1+1048576], 1;
  ret;
}
.visible .entry right(.param .u64 out) { ret; }
.visible .entry late(.param .u64 out) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 3000000;
loop:
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra loop;
  st.global.u32 [%rd1+1048576], 1;
  ret;
}
.visible .entry traps(.param .u64 out) { trap; }
"""

def count():
    driver, number = ctypes.CDLL("libcuda.so.1"), c_int()
    assert driver.cuInit(0) == 0 and driver.cuDeviceGetCount(byref(number)) == 0
    return number.value

def launch(name, device, wait=False):
    """A launch whose status nobody checks."""
    driver, context, module = ctypes.CDLL("libcuda.so.1"), c_void_p(), c_void_p()
    function, out = c_void_p(), c_uint64()
    driver.cuInit(0)
    assert driver.cuDevicePrimaryCtxRetain(byref(context), device) == 0
    driver.cuCtxSetCurrent(context)
    assert driver.cuModuleLoadData(byref(module), PTX) == 0
    assert driver.cuModuleGetFunction(byref(function), module, name.encode()) == 0
    assert driver.cuMemAlloc_v2(byref(out), 256) == 0
    values = (c_void_p * 1)(ctypes.cast(byref(out), c_void_p))
    assert driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, None, values, None) == 0
    return driver.cuCtxSynchronize() if wait else None
'''
PLAIN = """
import os, sys
from binding import count

def test_devices():
    print("folder", os.environ["LD_LIBRARY_PATH"].split(":")[0])
    assert count() == 2
    assert sys.stdin is not None
"""
OPTION = ("--gpukit-simulate", "2xT4")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "binding.py").write_text(BINDING)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (tmp_path / "test_it.py").write_text(PLAIN)
    return tmp_path


def run(
    project: Path, *options: str, stdin: str = "", python: tuple[str, ...] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *python, "-m", "pytest", *ALONE_OPTIONS, "-p", "no:cacheprovider"]
    return start(project, [*command, *options], stdin, **ALONE, **variables)


def start(
    project: Path, command: list[str], stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    # The project's pytest is not a worker of the pytest that runs these tests.
    environment = {
        k: v
        for k, v in os.environ.items()
        if k != "GPUKIT_SIMULATE" and not k.startswith("PYTEST_XDIST")
    }
    return subprocess.run(
        command,
        cwd=project,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**environment, "TMPDIR": str(project), **variables},
    )


def folders(project: Path) -> list[Path]:
    """Folders of simulated libraries that are left."""
    return list(project.glob("gpukit-sim-*"))


STATUSES = {
    1: "def test_it(): assert count() == 3",
    2: "def test_it(): raise KeyboardInterrupt",
    5: "",
}


@pytest.mark.parametrize("status", STATUSES)
def test_the_status_is_pytests(project: Path, status: int) -> None:
    (project / "test_it.py").write_text(f"from binding import count\n{STATUSES[status]}\n")
    done = run(project, *OPTION)
    assert done.returncode == status, done.stdout + done.stderr
    assert "gpukit: simulated GPUs 2xT4" in done.stdout
    assert folders(project) == []


# Not SIGSEGV, for which the address sanitizer has a handler.
@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL])
def test_a_signal_ends_it_as_it_ends_pytest(project: Path, number: int) -> None:
    (project / "test_it.py").write_text(
        f"import os\ndef test_it():\n    os.kill(os.getpid(), {int(number)})\n"
    )
    assert run(project, *OPTION, "-s").returncode == -number
    until = time.monotonic() + 50
    while folders(project):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("text", ["2xT9", "2xT4,mem=much"])
def test_a_text_that_describes_nothing_is_a_usage_error(project: Path, text: str) -> None:
    from gpukit._simulation import session

    with pytest.raises(ValueError) as caught:
        session.check_text(text)
    done = run(project, f"--gpukit-simulate={text}")
    assert done.returncode == 4
    assert f"ERROR: {caught.value}" in done.stderr
    assert done.stdout == ""


def test_the_interpreters_options_and_standard_input_are_kept(project: Path) -> None:
    (project / "test_it.py").write_text(
        "import sys\nfrom binding import count\n"
        "def test_it():\n    number = count() + 40\n    breakpoint()\n"
        "    assert 'own_option' in sys._xoptions\n"
    )
    done = run(project, *OPTION, stdin="p 'is', number\nc\n", python=("-X", "own_option"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "('is', 42)" in done.stdout


@pytest.mark.parametrize("way", ["ini", "addopts", "environment", "sim"])
def test_ways_to_ask_for_it(project: Path, way: str) -> None:
    """Whichever; and a conftest.py that opens the driver when it is imported finds it."""
    (project / "conftest.py").write_text("from binding import count\nassert count() == 2\n")
    if way in {"ini", "sim"}:
        (project / "pytest.ini").write_text("[pytest]\ngpukit_simulate = 2xT4\n")
    if way == "sim":  # GPUs are simulated already: pytest is not restarted
        command = [sys.executable, "-m", "gpukit", "sim", "2xT4", "--", "python", "-m", "pytest"]
        done = start(project, [*command, *ALONE_OPTIONS, "-s"], **ALONE)
        assert folders(project) == []
    else:
        variables = {
            "ini": {},
            "addopts": {"PYTEST_ADDOPTS": "--gpukit-simulate=2xT4"},
            "environment": {"GPUKIT_PYTEST_SIMULATE": "2xT4"},
        }[way]
        done = run(project, "-s", **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gpukit: simulated GPUs 2xT4" in done.stdout


def test_without_the_option_nothing_of_gpukit_is_imported(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\ngpukit_simulate = 2xT4\n")
    (project / "test_it.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    heavy = {'gpukit', 'numpy', 'rich', 'psutil', 'ctypes'}\n"
        "    assert not heavy & set(sys.modules)\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "gpukit_pytest", "-o", "gpukit_simulate="]
    done = start(project, command, **ALONE)
    assert done.returncode == 0, done.stdout


def test_workers_of_xdist_find_the_devices_too(project: Path) -> None:
    command = [sys.executable, "-m", "pytest", *PLUGIN_OPTIONS, "-p", "no:cacheprovider"]
    done = start(project, [*command, "-n1", *OPTION, "-rA"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert folders(project) == []


PROGRAM = """
import sys, pytest
sys.path.append({place!r})
status = pytest.main([{options}"-p", "no:cacheprovider", "--gpukit-simulate", "2xT4"{more}])
print("came back with", repr(status))
"""


def test_a_program_that_calls_pytest_goes_on_afterwards(project: Path) -> None:
    place = project / "modules"
    place.mkdir()
    (project / "binding.py").rename(place / "binding.py")
    options = "".join(f"{option!r}, " for option in ALONE_OPTIONS)
    program = project / "program.py"
    program.write_text(PROGRAM.format(place=str(place), options=options, more=""))
    done = start(project, [sys.executable, str(program)], **ALONE)
    assert "came back with <ExitCode.OK: 0>" in done.stdout, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    program.write_text(
        PROGRAM.format(place=str(place), options=options, more="], plugins=[object()")
    )
    done = start(project, [sys.executable, str(program)], **ALONE)
    assert "came back with <ExitCode.USAGE_ERROR: 4>" in done.stdout
    assert "was given an object" in done.stderr
    assert folders(project) == []


def test_a_conftest_that_loads_the_plugin_is_too_late(project: Path) -> None:
    (project / "conftest.py").write_text("pytest_plugins = ['gpukit.testing.plugin']\n")
    (project / "pytest.ini").write_text("[pytest]\ngpukit_simulate = 2xT4\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = start(project, command, **ALONE)
    assert done.returncode == 4
    assert "loaded too late" in done.stderr


FAULTS = """
import subprocess, sys, pytest
from binding import launch

def test_right():
    launch("right", 0)

def test_race():
    launch("racy", 0)

def test_beyond():
    launch("beyond", 1)

def test_trap():
    assert launch("traps", 2, wait=True) == 719

@pytest.mark.gpu_fault
def test_on_purpose():
    assert launch("beyond", 3, wait=True) == 700

def test_elsewhere():
    subprocess.run([sys.executable, "-c", "import binding; binding.launch('beyond', 0, True)"])

@pytest.mark.xfail(strict={strict})
def test_expected():
    launch("racy", 4)

def test_noticed():
    assert launch("beyond", 5, wait=True) == 0

@pytest.fixture
def kernel():
    launch("beyond", 6)

def test_fixture(kernel):
    pass

def test_on_a_lost_device():
    assert launch("right", 5, wait=True) == 0
"""


@pytest.mark.parametrize("check", ["", ",check=memory", ",check=memory,race"])
def test_a_kernel_that_fails_a_check_fails_its_test(project: Path, check: str) -> None:
    race, memory = "race" in check, "memory" in check
    (project / "test_it.py").write_text(FAULTS.format(strict=race))
    option = f"--gpukit-simulate=7xT4{check}"  # a fault makes a device unusable
    done = run(project, option, "-rA", "--tb=short", "-q", GPUKIT_PYTEST_SIMULATE="1xT4")
    rows = re.findall(r"^([A-Z]+) test_it.py::(\w+)", done.stdout, re.MULTILINE)
    outcomes = {name: outcome for outcome, name in rows}
    assert outcomes == {
        "test_right": "PASSED",
        "test_race": "FAILED" if race else "PASSED",
        "test_beyond": "FAILED" if memory else "PASSED",
        "test_trap": "PASSED",
        "test_on_purpose": "PASSED",
        "test_elsewhere": "FAILED" if memory else "PASSED",
        "test_expected": "XFAIL" if race else "XPASS",
        "test_noticed": "FAILED",
        "test_fixture": "ERROR" if memory else "PASSED",
        "test_on_a_lost_device": "FAILED",
    }, done.stdout
    assert "Captured failed kernels call" in done.stdout
    first = "test_race" if race else "test_beyond"
    assert f"A kernel of test_it.py::{first} failed earlier." in done.stdout
    if memory:
        assert "kernel beyond, block (0, 0, 0), thread (0, 0, 0), PTX line 16" in done.stdout
        assert "parameter 1 of the kernel points to 64 elements of 4 bytes" in done.stdout
    if race:
        assert "kernel racy, block (0, 0, 0), thread (1, 0, 0), PTX line 10: a race" in done.stdout


def test_versions_are_told_without_a_start(project: Path) -> None:
    done = run(project, *OPTION, "--help")
    assert done.returncode == 0
    assert "--gpukit-simulate=GPUS" in done.stdout


LATE = """
import pytest
from binding import launch

def test_slow():
    launch("late", 0)

def test_next():
    pass

def test_last():
    launch("late", 1)
"""


def test_a_fault_after_the_test_is_the_fault_of_its_test(project: Path) -> None:
    (project / "conftest.py").write_text(
        "from gpukit_pytest import faults\nfaults._PATIENCE = 0.01\n"
    )
    (project / "test_it.py").write_text(LATE)
    done = run(project, "--gpukit-simulate=2xT4,check=memory", "-rA", "-q", "-s")
    rows = dict(
        reversed(row)
        for row in re.findall(r"^([A-Z]+) test_it.py::(\w+)", done.stdout, re.MULTILINE)
    )
    assert rows == {"test_slow": "FAILED", "test_next": "PASSED", "test_last": "FAILED"}, (
        done.stdout
    )
    assert "gpukit: waiting for the kernels of test_it.py::test_slow" in done.stderr


def test_kernels_that_do_not_end_fail_their_test_alone(project: Path) -> None:
    settings = "from gpukit_pytest import faults\nfaults._PATIENCE = faults._LIMIT = 0.01\n"
    (project / "conftest.py").write_text(settings)
    (project / "test_it.py").write_text(LATE)
    done = run(project, "--gpukit-simulate=2xT4,check=memory", "-rA", "-q")
    assert "FAILED test_it.py::test_slow - Failed: its kernels have not ended" in done.stdout

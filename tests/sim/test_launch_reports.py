"""Reports of the simulated driver on launches: failed ones in files, long ones on stderr."""

from __future__ import annotations

import ctypes
import os
import re
from ctypes import c_double, c_uint64
from pathlib import Path

import pytest

from support.sim_driver import SimDriver

PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry racy(.param .u64 out) {
  .reg .b64 %a;
  .reg .b32 %t;
  ld.param.u64 %a, [out];
  mov.u32 %t, %tid.x;
  st.global.u32 [%a], %t;
  ret;
}
.visible .entry beyond(.param .u64 out) {
  .reg .b64 %a;
  ld.param.u64 %a, [out];
  st.global.u32 [%a+1048576], 1;
  ret;
}
.visible .entry askew(.param .u64 out) {
  .reg .b64 %a;
  ld.param.u64 %a, [out];
  st.global.u32 [%a+1], 1;
  ret;
}
.visible .entry traps(.param .u64 out) { trap; }
.visible .entry waits(.param .u64 out) {
  .reg .b32 %t;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  setp.lt.u32 %p, %t, 32;
  @%p bar.sync 1, 64;
  @!%p bar.sync 2, 64;
  ret;
}
.visible .entry loops(.param .u64 out) {
  .reg .b32 %i;
  .reg .pred %p;
  mov.u32 %i, 0;
again:
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 200000;
  @%p bra again;
  ret;
}
"""
KINDS = {
    "racy": ("check", 719),
    "beyond": ("address", 700),
    "askew": ("address", 716),
    "traps": ("program", 719),
    "waits": ("check", 719),
}


def launch(driver: SimDriver, name: str, status: int = 0, grid: int = 1) -> None:
    function = driver.function(driver.load(PTX), name)
    driver.launch(function, grid, 64, driver.allocate(256))
    driver.call("cuCtxSynchronize", status=status)


@pytest.mark.parametrize("name", KINDS)
def test_a_kernel_that_fails_is_a_line_of_both_files(
    driver: SimDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    log, faults = tmp_path / "log", tmp_path / "faults"
    monkeypatch.setenv("GPUKIT_SIM_FAULTS", str(faults))
    driver.start(f"T4,check=race,log={log}")
    kind, status = KINDS[name]
    launch(driver, name, status)
    (line,) = faults.read_text().splitlines()
    assert line.split("\t") == [kind, str(os.getpid()), driver.message()]
    assert f"kernel {name}, block (0, 0, 0), thread" in line
    assert log.read_text() == f"gpukit simulator: {driver.message()}\n"
    assert faults.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("check", ["memory", "all", "race+memory"])
def test_an_invalid_address_is_a_finding_where_check_names_memory(
    driver: SimDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    monkeypatch.setenv("GPUKIT_SIM_FAULTS", str(tmp_path / "faults"))
    driver.start(f"T4,check={check}")
    launch(driver, "beyond", 700)
    assert (tmp_path / "faults").read_text().startswith("memory\t")


def test_a_long_launch_tells_how_far_it_is(
    driver: SimDriver, capfd: pytest.CaptureFixture[str]
) -> None:
    driver.start("T4,progress=0.000001")
    launch(driver, "loops", grid=4)
    lines = capfd.readouterr().err.splitlines()
    assert lines
    for line in lines:
        form = r"gpukit simulator: kernel loops has run for [\d.e-]+ s: [0-3] of 4 blocks done"
        assert re.fullmatch(form, line)


@pytest.mark.parametrize("text", ["T4", "T4,progress=0", "T4,progress=1e9"])
def test_others_are_silent(driver: SimDriver, capfd: pytest.CaptureFixture[str], text: str) -> None:
    driver.start(text)
    launch(driver, "loops")
    assert capfd.readouterr().err == ""


def test_a_text_is_judged_without_a_start(driver: SimDriver) -> None:
    judge = driver.library.gpukitSimFaultOf
    judge.restype = ctypes.c_char_p
    driver.start("3xT4")
    assert judge(b"2xT4,mem=1GiB") == b""
    assert judge(b"2xT4,mem=much") == b"setting mem cannot be 'much'"
    assert judge(b"2xT4,fault=what") != b""
    assert len(driver.contexts) == 3
    driver.allocate(10)


def test_waiting_until_no_device_has_work(driver: SimDriver) -> None:
    wait = driver.library.gpukitSimWaitUntilIdle
    wait.argtypes = [c_double]
    driver.start("2xT4")
    out = driver.allocate(256)
    function = driver.function(driver.load(PTX), "loops")
    driver.launch(function, 8, 64, out)
    assert wait(0.0) in (0, 1)
    assert wait(100.0) == 1
    assert wait(0.0) == 1
    assert isinstance(out, c_uint64)

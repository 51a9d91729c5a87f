"""gpukit.monitor where there may be no GPU, and on pasted texts."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import gpukit
from gpukit.errors import DeviceNotFoundError
from support import smi_texts


def test_a_snapshot_is_quick_and_says_why_there_is_nothing() -> None:
    start = time.monotonic()
    taken = gpukit.monitor.snapshot()
    assert time.monotonic() - start < 1
    assert bool(taken.gpus) != bool(taken.reason)
    assert gpukit.smi().reason == taken.reason


def test_monitor_is_a_callable_module() -> None:
    assert isinstance(gpukit.monitor(), gpukit.monitor.Monitor)
    with pytest.raises(AttributeError, match="Did you mean"):
        _ = gpukit.monitor.snapshit  # type: ignore[attr-defined]


def test_pick_gpu_where_there_is_one_and_where_there_is_none() -> None:
    if gpukit.num_gpus():
        assert gpukit.pick_gpu().type == "cuda"
        return
    with pytest.raises(DeviceNotFoundError, match="pick_gpu"):
        gpukit.pick_gpu()


def test_diff_of_pasted_texts() -> None:
    changes = gpukit.monitor.diff(smi_texts.MX150_BEFORE, smi_texts.coloured(smi_texts.MX150_AFTER))
    assert changes.rows == [{"gpu": 0, "what": "memory_used", "before": 505, "after": 580}]
    same = gpukit.monitor.diff(smi_texts.V100_FOUR, smi_texts.V100_FOUR)
    assert not same
    assert "nothing changed" in same.to_text()
    with pytest.raises(ValueError, match="nvidia-smi"):
        gpukit.monitor.diff("no table", smi_texts.V100_FOUR)
    with pytest.raises(TypeError, match="snapshots or nvidia-smi texts"):
        gpukit.monitor.diff(1, 2)


def test_selftest_of_the_cpu() -> None:
    report = gpukit.selftest("cpu", verbose=False)
    assert report.ok, report
    assert len(report.rows) >= 15


def test_selftest_sees_a_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpukit._devices import selftest

    monkeypatch.setitem(selftest.CHECKS, "fill", lambda _: "7 instead of 3")
    report = gpukit.selftest("cpu", verbose=False)
    assert not report.ok
    assert "WRONG: 7 instead of 3" in report.to_text()


def test_nothing_is_started_without_a_driver() -> None:
    code = (
        "import gpukit, threading; t = gpukit.monitor.snapshot(); print(repr(t.reason)); "
        "assert not gpukit.cuda.is_initialized(); print(threading.active_count())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    environment["GPUKIT_LIBCUDA"] = "none"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1"

"""Every NVML call fails or hangs once: the rest of the table stands, and nobody waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

import gpukit
from support.nvml import nvml_script

# The calls of a snapshot and the fields that each gives.
CALLS = {
    "nvmlDeviceGetUUID": {"uuid"},
    "nvmlDeviceGetName": {"name"},
    "nvmlDeviceGetPciInfo": {"pci_bus_id"},
    "nvmlDeviceGetMemoryInfo": {"memory_total", "memory_used", "memory_free", "memory_reserved"},
    "nvmlDeviceGetUtilizationRates": {"utilization", "memory_utilization"},
    "nvmlDeviceGetTemperature": {"temperature"},
    "nvmlDeviceGetPowerUsage": {"power_draw"},
    "nvmlDeviceGetEnforcedPowerLimit": {"power_limit"},
    "nvmlDeviceGetFanSpeed": {"fan_speed"},
    "nvmlDeviceGetPerformanceState": {"performance_state"},
    "nvmlDeviceGetClockInfo": {"clock_sm", "clock_memory"},
    "nvmlDeviceGetMaxClockInfo": {"clock_sm_max", "clock_memory_max"},
    "nvmlDeviceGetCurrentClocksEventReasons": {"throttle_reasons"},
    "nvmlDeviceGetPersistenceMode": {"persistence_mode"},
    "nvmlDeviceGetComputeMode": {"compute_mode"},
    "nvmlDeviceGetTotalEccErrors": {"ecc_errors"},
    "nvmlDeviceGetCurrPcieLinkGeneration": {"pcie_generation"},
    "nvmlDeviceGetCurrPcieLinkWidth": {"pcie_width"},
    "nvmlDeviceGetMigMode": {"mig_mode", "mig"},
    "nvmlDeviceGetComputeRunningProcesses": {"processes"},
    "nvmlDeviceGetGraphicsRunningProcesses": set(),
}
CODES = {
    1: "not started",
    3: "not supported",
    4: "no permission",
    9: "kernel driver is not loaded",
    10: "timed out",
    13: "too old",
    15: "lost",
    999: "unknown error",
}
LIMIT = 1.0
CARDS = "2xRTX 3090,read:nvmlDeviceGetTotalEccErrors:0"


def two_gpus(*rules: str) -> list[dict[str, object]]:
    """Both GPUs as dicts, read within the time."""
    with nvml_script(",".join([CARDS, *rules])):
        start = time.monotonic()
        taken = gpukit.monitor.snapshot()
        assert time.monotonic() - start < LIMIT
        assert taken.to_table().to_text()
        assert json.loads(taken.to_json())["schema"] == 1
    assert len(taken.gpus) == 2
    return [gpu.to_dict() for gpu in taken.gpus]


@pytest.fixture(scope="module")
def healthy() -> list[dict[str, object]]:
    """What the GPUs say when nothing fails."""
    states = two_gpus()
    assert all(state["missing"] == {} for state in states), states
    return states


def check_rest(
    states: list[dict[str, object]], healthy: list[dict[str, object]], lacking: set[str]
) -> dict[str, str]:
    """GPU 0 is whole, and GPU 1 lacks only these fields; returns their reasons."""
    assert states[0] == healthy[0]
    missing = states[1]["missing"]
    assert isinstance(missing, dict)
    assert set(missing) == lacking
    for name, value in healthy[1].items():
        if name not in {"missing", "missing_status"}:
            assert states[1][name] == (None if name in lacking else value), name
    return missing


@pytest.mark.parametrize("call", CALLS)
def test_a_call_fails(call: str, healthy: list[dict[str, object]]) -> None:
    for code, words in CODES.items():
        states = two_gpus(f"fail:{call}:{code}@1")
        if call == "nvmlDeviceGetMigMode" and code in {3, 13}:  # a card without MIG
            assert states[1]["mig_mode"] is False
            continue
        if call == "nvmlDeviceGetCurrentClocksEventReasons" and code == 13:
            assert states == healthy  # an older name of the call works
            continue
        reasons = check_rest(states, healthy, CALLS[call])
        assert all(words in reason for reason in reasons.values()), (code, reasons)
        assert states[1]["missing_status"] == dict.fromkeys(reasons, code)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_hangs(call: str, healthy: list[dict[str, object]]) -> None:
    for _ in range(5):  # on a busy machine a call that only waits for its turn looks the same
        states = two_gpus(f"hang:{call}@1")
        if states[0] == healthy[0] and set(states[1]["missing"]) == CALLS[call]:
            break
    reasons = check_rest(states, healthy, CALLS[call])
    assert all("has not responded for" in reason for reason in reasons.values())


@pytest.mark.parametrize("code", CODES)
def test_no_handle(code: int, healthy: list[dict[str, object]]) -> None:
    states = two_gpus(f"fail:nvmlDeviceGetHandleByIndex:{code}@1")
    assert states[0] == healthy[0]
    assert states[1]["uuid"] is None
    assert CODES[code] in str(states[1]["missing"])


def test_everything_hangs_on_one_gpu(healthy: list[dict[str, object]]) -> None:
    states = two_gpus("hang:*@1")
    assert states[0] == healthy[0]
    assert states[1]["uuid"] is None


def test_a_hanging_call_is_left_alone_until_it_returns() -> None:
    with nvml_script(f"{CARDS},hang:nvmlDeviceGetTemperature@0"):
        first = gpukit.monitor.snapshot()
        start = time.monotonic()
        second = gpukit.monitor.snapshot()
        assert time.monotonic() - start < 0.2
    assert [taken.gpus[0].temperature for taken in (first, second)] == [None, None]
    for _ in range(100):
        with nvml_script(CARDS):
            taken = gpukit.monitor.snapshot()
        if taken.gpus[0].temperature is not None:
            break
        time.sleep(0.05)
    assert taken.gpus[0].temperature == 38


@pytest.mark.parametrize("rule", ["fail:nvmlDeviceGetCount:999", "hang:nvmlDeviceGetCount"])
def test_no_count(rule: str) -> None:
    with nvml_script(f"2xT4,{rule}"):
        start = time.monotonic()
        taken = gpukit.monitor.snapshot()
        assert time.monotonic() - start < LIMIT
        assert taken.gpus == []
        assert taken.reason
        assert not gpukit.monitor.new_query()
    for _ in range(100):  # the thread that hung comes back by itself
        if gpukit.monitor.snapshot().gpus:
            break
        time.sleep(0.05)
    assert len(gpukit.monitor.snapshot().gpus) == 2


_START = """
import sys, time
import gpukit
sys.path.insert(0, {tests!r})
from support.nvml import nvml_script
for code in {codes}:
    with nvml_script(f"2xT4,fail:nvmlInitWithFlags:{{code}}"):
        print(gpukit.monitor.snapshot().reason)
with nvml_script("2xT4,hang:nvmlInitWithFlags"):
    start = time.monotonic()
    print(gpukit.monitor.snapshot().reason)
    assert time.monotonic() - start < 1
    print(gpukit.smi().reason)
for _ in range(100):
    if gpukit.monitor.snapshot().gpus:
        break
    time.sleep(0.05)
print(len(gpukit.monitor.snapshot().gpus))
"""


def test_nvml_does_not_start() -> None:
    tests = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    done = subprocess.run(
        [sys.executable, "-c", _START.format(tests=tests, codes=list(CODES))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "GPUKIT_SIMULATE": "2xT4"},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for line, words in zip(lines, CODES.values(), strict=False):
        assert words in line
    assert "while it starts" in lines[len(CODES)]
    assert lines[-1] == "2"

"""simulate(n, on="cuda:0"): logical devices over one card, which here is a simulated one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.sim_driver import installed_folder

PROGRAM = """
import gpukit
below = gpukit.cuda.get_device_properties(0)
before = gpukit.ones(4, device="cuda:0")
try:
    gpukit.simulate(2, on="cuda:0")
except gpukit.SimulationError as error:
    print("refused:", error)
del before
with gpukit.simulate(2, on="cuda:0", memory="64MiB") as simulation:
    print(simulation.devices, gpukit.cuda.get_device_name(1))
    first, second = (gpukit.cuda.get_device_properties(i) for i in (0, 1))
    assert first.uuid == below.uuid != second.uuid, (first.uuid, second.uuid)
    assert first.total_memory == second.total_memory == 64 << 20
    x = gpukit.arange(1000, device="cuda:0", dtype=gpukit.float32)
    y = x.to("cuda:1")
    assert y.device == gpukit.device("cuda:1") and y.device.simulated
    assert (y + 1).sum().item() == 500500.0
    assert (x.reshape(20, 50) @ x.reshape(50, 20)).shape == (20, 20)
    assert gpukit.equal(y.cpu(), x.cpu())
    try:
        x + y
    except gpukit.DeviceMismatchError as error:
        print("mismatch")
    try:
        gpukit.ones(100 << 20, dtype=gpukit.uint8, device="cuda:1")
    except gpukit.OutOfMemoryError as error:
        print("full")
    free, total = gpukit.cuda.mem_get_info(1)
    assert 0 < free <= total == 64 << 20
    threads = [gpukit.cuda.Stream(i) for i in (0, 1)]
    for stream in threads:
        with gpukit.cuda.stream(stream):
            assert gpukit.ones(10, device=stream.device).sum().item() == 10
    assert gpukit.selftest("cuda:1", verbose=False).ok
    try:
        simulation.clock_ms(0)
    except gpukit.SimulationError:
        print("no clock")
try:
    y + 1
except gpukit.DeviceError as error:
    print("ended")
print(gpukit.cuda.device_count())
"""


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_two_devices_over_one_card() -> None:
    driver: Path = installed_folder() / "libgpukit_simcuda.so"
    done = run(PROGRAM, GPUKIT_LIBCUDA=str(driver))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("refused: simulate: tensors of")
    assert "part 2 of 2" in lines[1]
    assert lines[2:] == ["mismatch", "full", "no clock", "ended", "1"]


def test_no_card_below() -> None:
    program = "import gpukit\ngpukit.simulate(2, on='cuda:0')"
    done = run(program, GPUKIT_LIBCUDA="none")
    assert "DeviceNotFoundError" in done.stderr


def test_wrong_device() -> None:
    program = "import gpukit\ngpukit.simulate(2, on='cude:0')"
    done = run(program, GPUKIT_LIBCUDA="none")
    assert "InvalidDeviceError" in done.stderr

"""gpukit.monitor on simulated GPUs."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

import gpukit
from gpukit import monitor
from gpukit.errors import DeviceError, DeviceNotFoundError, GpukitError
from gpukit.report.text import without_escapes
from support.nvml import nvml_script
from support.sim_driver import installed_folder


@pytest.mark.parametrize("count", [0, 1, 2, 16])
def test_number_of_gpus(count: int) -> None:
    with nvml_script(f"{count}xT4" if count else "0"):
        taken = monitor.snapshot()
        query = monitor.new_query()
        text = gpukit.smi().to_text()
    assert [gpu.index for gpu in taken.gpus] == list(range(count))
    assert len({gpu.uuid for gpu in taken.gpus}) == count
    assert len(query) == count
    assert text.count("Tesla T4") == count
    assert bool(taken.reason) == (count == 0)


def test_names_of_cuda_come_by_uuid() -> None:
    # NVML's order is not CUDA's: the simulation's two T4 are what CUDA knows.
    taken = monitor.snapshot()
    assert [gpu.device for gpu in taken.gpus] == ["cuda:0", "cuda:1"]
    for gpu in taken.gpus:
        assert gpu.uuid == gpukit.cuda.get_device_properties(gpu.cuda_index).uuid
    assert taken.simulated
    assert taken.of("cuda:1") is taken.gpus[1]
    with nvml_script("1xA100,1xT4"):
        assert [gpu.device for gpu in monitor.snapshot().gpus] == [None, "cuda:1"]


def test_memory_and_process_of_this_program() -> None:
    gpukit.cuda.empty_cache()  # else a cached block may serve, and nothing is taken from the card
    before = monitor.snapshot().of("cuda:0").memory_used
    held = gpukit.ones(64 << 20, dtype=gpukit.uint8, device="cuda:0")
    gpu = monitor.snapshot().of("cuda:0")
    assert gpu.memory_used is not None
    assert before is not None
    assert gpu.memory_used - before >= held.nbytes
    assert [process.pid for process in monitor.processes("cuda:0")] == [os.getpid()]
    assert monitor.processes("cuda:0")[0].command is None
    shown = monitor.processes("cuda:0", command_lines=True)[0].command
    assert shown is not None
    assert "py" in shown


def test_mig() -> None:
    with nvml_script("1xA100,mig@0"):
        (gpu,) = monitor.snapshot().gpus
        text = gpukit.smi().to_text()
    assert gpu.mig_mode is True
    assert gpu.utilization is None
    assert "not supported" in gpu.missing["utilization"]
    assert gpu.mig is not None
    assert [part.index for part in gpu.mig] == [0, 1]
    assert all((part.uuid or "").startswith("MIG-") for part in gpu.mig)
    assert text.count("MIG 3g.20gb") == 2


def test_a_lost_card() -> None:
    with nvml_script("3xT4,lost@1"):
        taken = monitor.snapshot()
        text = gpukit.smi().to_text()
    assert [gpu.temperature for gpu in taken.gpus] == [38, None, 40]
    assert "restart" in taken.gpus[1].missing["temperature"]
    assert "lost" in text


@pytest.mark.parametrize(("branch", "reserved"), [(470, False), (525, True), (580, True)])
def test_generations_of_drivers(branch: int, reserved: bool) -> None:
    with nvml_script(f"1xT4,driver:{branch},read:nvmlDeviceGetComputeRunningProcesses:2@0"):
        taken = monitor.snapshot()
    (gpu,) = taken.gpus
    assert (taken.driver or "").startswith(str(branch))
    assert (gpu.memory_reserved is not None) == reserved
    assert gpu.processes is not None
    assert len(gpu.processes) == 2
    assert gpu.throttle_reasons == ["idle"]


def test_numbers_that_mean_nothing_are_missing() -> None:
    rules = ",".join(
        [
            "1xRTX 3090",
            "read:nvmlDeviceGetPowerUsage:4294967295",
            "read:nvmlDeviceGetUtilizationRates:240",
        ]
    )
    with nvml_script(rules):
        (gpu,) = monitor.snapshot().gpus
    assert (gpu.power_draw, gpu.utilization) == (None, None)
    assert {"power_draw", "utilization"} <= set(gpu.missing)


def test_a_process_that_is_seen_twice_counts_once() -> None:
    both = "read:nvmlDeviceGet{}RunningProcesses:3@0"
    with nvml_script(f"1xT4,{both.format('Compute')},{both.format('Graphics')}"):
        (gpu,) = monitor.snapshot().gpus
    assert gpu.processes is not None
    assert len(gpu.processes) == 3


def test_query_speaks_gpustat() -> None:
    with nvml_script("1xRTX 3090,read:nvmlDeviceGetPowerUsage:123456"):
        query = monitor.new_query()
    stat = query[0]
    assert (stat.index, stat.power_draw, stat.memory_total) == (0, 123, 24268)
    assert stat["power.draw"] == 123
    stream = io.StringIO()
    query.print_json(stream)
    assert json.loads(stream.getvalue())["gpus"][0]["memory.total"] == 24268
    query.print_formatted(stream)
    assert "RTX 3090" in stream.getvalue()


def test_sampler() -> None:
    with monitor(0.05) as watched:
        time.sleep(0.3)
    assert 3 <= len(watched.samples) <= 12
    assert "utilization %" in watched.summary().to_text()
    assert "simulated" in watched.summary().title
    assert "GPU 1 memory" in watched.plot_text()
    assert watched.plot_text().endswith("\nsimulated")
    lines = watched.to_csv().splitlines()
    assert lines[0].startswith("time,index,device")
    assert len(lines) == 1 + 2 * len(watched.samples)
    watched.stop()
    with pytest.raises(GpukitError, match="started already"):
        watched.start()


def test_sampler_of_one_device_ends_by_itself() -> None:
    watched = monitor(0.05, "cuda:1", 0.1).start().wait()
    assert {gpu.device for taken in watched.samples for gpu in taken.gpus} == {"cuda:1"}


@pytest.mark.parametrize("interval", [0, -1, float("nan"), float("inf")])
def test_wrong_interval(interval: float) -> None:
    with pytest.raises(ValueError, match="interval"):
        monitor(interval)
    with pytest.raises(TypeError, match="interval"):
        monitor("1")  # type: ignore[arg-type]


def test_diff_of_snapshots() -> None:
    with nvml_script("2xT4,read:nvmlDeviceGetTemperature:40"):
        before = monitor.snapshot()
    with nvml_script("1xT4,read:nvmlDeviceGetTemperature:71"):
        after = monitor.snapshot()
    changes = monitor.diff(before, after)
    assert changes
    assert {"gpu": 0, "what": "temperature", "before": 40, "after": 71} in changes.rows
    assert any(row["what"] == "GPU" and row["gpu"] == 1 for row in changes.rows)
    assert not monitor.diff(before, before)


def test_pick_gpu() -> None:
    busy = "read:nvmlDeviceGetMemoryInfo:9000000000@0,read:nvmlDeviceGetUtilizationRates:90@1"
    with nvml_script(f"2xT4,{busy}"):
        assert gpukit.pick_gpu() == gpukit.device("cuda:1")
        assert gpukit.pick_gpu(by="utilization") == gpukit.device("cuda:0")
        assert gpukit.pick_gpu("8GiB", by="utilization") == gpukit.device("cuda:1")
        with pytest.raises(DeviceNotFoundError, match="no GPU has 64"):
            gpukit.pick_gpu("64GiB")
    with nvml_script("0"):  # without NVML the driver is asked
        assert gpukit.pick_gpu().type == "cuda"
    for wrong, error in (("much", ValueError), (True, TypeError), (-1, ValueError)):
        with pytest.raises(error, match="min_free"):
            gpukit.pick_gpu(wrong)


def test_readings_of_a_device() -> None:
    with nvml_script("2xT4,read:nvmlDeviceGetPowerUsage:70125@1"):
        assert gpukit.cuda.temperature(1) == 39
        assert gpukit.cuda.power_draw(1) == 70125
        assert gpukit.cuda.clock_rate("cuda:1") == 300
        assert gpukit.cuda.utilization() == 0
    with nvml_script("2xT4,lost@0"), pytest.raises(DeviceError, match="UUID"):
        gpukit.cuda.temperature(0)
    with (
        nvml_script("2xT4,fail:nvmlDeviceGetTemperature:4"),
        pytest.raises(DeviceError, match="no permission"),
    ):
        gpukit.cuda.temperature(0)


def test_selftest() -> None:
    start = time.monotonic()
    report = gpukit.selftest(verbose=False)
    assert time.monotonic() - start < 10
    assert report.ok, report
    assert {row["device"] for row in report.rows} == {
        "cpu",
        "cuda:0 (simulated)",
        "cuda:1 (simulated)",
    }
    with pytest.raises(DeviceNotFoundError):
        gpukit.selftest("cuda:7")


@pytest.mark.parametrize("command", [("smi",), ("monitor", "-n", "1"), ("selftest",)])
def test_commands(command: tuple[str, ...]) -> None:
    for more, look in (((), str), (("--json",), json.loads)):
        done = subprocess.run(
            [sys.executable, "-m", "gpukit", *command, *more],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert look(done.stdout)
        assert "T4" in done.stdout or "cuda:1" in done.stdout


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_live_monitor_fits_a_terminal_of_60_columns(language: str) -> None:
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 60, 0, 0))
    command = [sys.executable, "-m", "gpukit", "monitor", "-n", "3", "-i", "0.1"]
    variables = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
    variables |= {"GPUKIT_LANG": language, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=variables) as child:
        os.close(other)
        data = b""
        with contextlib.suppress(OSError):  # the end, when the child has left
            while part := os.read(own, 65536):
                data += part
        assert child.wait(60) == 0
    os.close(own)
    screens = data.decode().split("\x1b[H\x1b[J")[1:]
    assert len(screens) == 3
    lines = [without_escapes(line).rstrip("\r") for line in screens[-1].splitlines()]
    assert max(map(cell_len, lines)) <= 60
    bars = [line for line in lines if line.endswith("|")]
    assert len(bars) == 8
    assert len({cell_len(line) for line in bars}) == 1
    assert lines[-1] == {"en": "simulated", "zh": "模拟"}[language]


def test_a_full_line_of_bars_fits_60_columns() -> None:
    watched = monitor(0.05)
    watched.start()
    watched._samples *= 100
    watched.stop()
    assert max(map(cell_len, watched.plot_text().splitlines())) <= 60


def test_other_users_of_nvidia_ml_py_see_no_simulation() -> None:
    import pynvml

    assert monitor.snapshot().gpus
    assert pynvml.nvmlLib is None or "simnvml" not in str(pynvml.nvmlLib)


def test_no_foreign_nvml_is_loaded(tmp_path: Path) -> None:
    """A libnvidia-ml.so.1 in the working directory and in LD_LIBRARY_PATH is never opened."""
    decoy = tmp_path / "libnvidia-ml.so.1"
    shutil.copy(installed_folder() / "libgpukit_simnvml.so", decoy)
    code = (
        "import gpukit; gpukit.num_gpus(); gpukit.monitor.snapshot(); gpukit.version.driver\n"
        "print([line for line in open('/proc/self/maps') if 'libnvidia-ml' in line])"
    )
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": f"{tmp_path}::.",
        "GPUKIT_SIMULATE": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_devices_are_known_by_cudas_names_in_a_fresh_process() -> None:
    code = (
        "import gpukit; print(gpukit.cuda.temperature(0), len(gpukit.monitor.processes('cuda:0')));"
        "print(gpukit.monitor(0.1, 'cuda:0').start().samples[0].gpus[0].device)"
    )
    driver = installed_folder() / "libgpukit_simcuda.so"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**kept, "GPUKIT_LIBCUDA": str(driver)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["38", "0", "cuda:0"]


def test_snapshots_of_several_threads() -> None:
    found: list[int] = []

    def look() -> None:
        found.extend(len(monitor.snapshot().gpus) for _ in range(10))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 40

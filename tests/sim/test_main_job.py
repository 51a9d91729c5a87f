"""`gpukit bench` and friends with two simulated GPUs, run as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import gpukit
from gpukit.bench import SimulatedBenchResult
from support.patience import holds

QUICK = {"min_time": 0.02, "max_time": 0.3, "verbose": False}


def without_simulation():
    return {k: v for k, v in os.environ.items() if k not in ("GPUKIT_SIMULATE", "GPUKIT_TEST_MODE")}


def gpukit_sim(*command, cards="2xT4"):
    return subprocess.run(
        [sys.executable, "-m", "gpukit", "sim", cards, "--", *command],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env=without_simulation(),
    )


def test_sim_bench_prints_two_labelled_gpus(tmp_path):
    out = tmp_path / "r.json"
    done = gpukit_sim("python", "-m", "gpukit", "bench", "--json", str(out))
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["rows"]
    by_device = {
        device: [r for r in rows if r["device_name"] == device]
        for device in ("cpu", "cuda:0", "cuda:1")
    }
    assert [len(found) for found in by_device.values()] == [3, 3, 3]
    for row in by_device["cuda:0"] + by_device["cuda:1"]:
        assert row["simulated"] is True
        assert row["agrees"] is True
        assert row["speedup"] is None
    assert "(simulated)" in done.stdout


def test_the_issues_one_liner():
    program = (
        "import gpukit as g; a=g.rand(512,512,device=g.try_gpu(1)); "
        "print((a@a).sum().item(), a.device)"
    )
    done = gpukit_sim("python", "-c", program)
    assert done.returncode == 0, done.stderr
    total, device = done.stdout.split()
    assert device == "cuda:1"
    assert 0.2 * 512**3 < float(total) < 0.3 * 512**3


def test_the_commands_own_status_comes_back():
    assert gpukit_sim("python", "-c", "raise SystemExit(7)").returncode == 7


def test_unknown_command_is_a_plain_failure():
    done = gpukit_sim("no-such-command")
    assert done.returncode == 1
    assert "no-such-command" in done.stderr
    assert "Traceback" not in done.stderr


def test_default_devices_are_cpu_and_every_gpu():
    table = gpukit.bench(lambda x: x * 2, gpukit.ones(1000), name="double", **QUICK)
    assert [r.device_name for r in table] == ["cpu", "cuda:0", "cuda:1"]
    assert isinstance(table[1], SimulatedBenchResult)
    assert table[1].upload > 0
    assert table[1].download > 0
    assert all(r.agrees for r in list(table)[1:])


def wrong_on_gpu(x):
    return x * (2 if x.device.type == "cpu" else 2.01)


def test_wrong_answers_give_no_ratio():
    table = gpukit.bench(wrong_on_gpu, gpukit.ones(1000), **QUICK)
    assert table.answers_differ
    assert table[1].speedup is None
    assert "results differ" in str(table)
    with pytest.raises(gpukit.BenchError, match="No speed-up is reported"):
        gpukit.bench(wrong_on_gpu, gpukit.ones(1000), check="raise", **QUICK)


def test_one_failing_device_does_not_lose_the_others():
    def fails_on_first_gpu(x):
        if str(x.device) == "cuda:0":
            raise RuntimeError("no luck here")
        return x + 1

    table = gpukit.bench(fails_on_first_gpu, gpukit.ones(10), **QUICK)
    assert [r.error is None for r in table] == [True, False, True]
    assert "no luck here" in table[1].error


def test_naive_clock_stands_beside_the_true_one():
    x = gpukit.rand(256, 256)

    def is_no_longer_than_the_time():
        result = gpukit.bench(gpukit.matmul, x, x, device="cuda:0", **QUICK)
        assert "time.time()" in result.explain() or "launch-bound" in result.explain()
        return 0 < result.naive_ms / 1e3 <= result.wall

    assert holds(is_no_longer_than_the_time)


def test_info_labels_simulated_devices():
    text = str(gpukit.info())
    assert "simulated" in text
    assert "cuda:1" in text


def test_unknown_card_is_wrong_usage_with_a_hint():
    done = gpukit_sim("true", cards="2xT5")
    assert done.returncode == 2
    assert "T5" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_exercise_on_two_simulated_cards():
    done = gpukit_sim("python", "-m", "gpukit", "bench", "scaling", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["simulated"] is True
    assert 1.9 <= document["facts"]["speedup"] <= 2.0

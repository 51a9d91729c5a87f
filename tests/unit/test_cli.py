"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


def gpukit(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "gpukit", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        **options,
    )


def test_info_is_one_document():
    done = gpukit("info", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    assert document["devices"][-1]["type"] == "cpu"


def test_info_text_ends_with_the_cpu():
    done = gpukit("info")
    assert done.returncode == 0, done.stderr
    last = [line for line in done.stdout.splitlines() if line][-1]
    assert last.startswith("cpu: ")
    for name in ("CUDA", "ROCm", "MPS", "oneAPI"):
        assert name in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("benhc",), "did you mean 'bench'"),
        (("bench", "matmu"), "did you mean 'matmul'"),
        (("bench", "--wrong"), "--wrong"),
        (("sim", "2xT4"), "give a command after --"),
    ],
)
def test_wrong_usage_is_2_with_a_hint(arguments, words):
    done = gpukit(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_overlap_without_a_gpu_says_why_and_how_to_practise():
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    done = gpukit("bench", "overlap", env={**environment, "GPUKIT_LIBCUDA": "none"})
    assert done.returncode == 0, done.stderr
    assert "no GPU: " in done.stdout
    assert "gpukit sim 2xT4 -- gpukit bench overlap" in done.stdout


def test_bad_device_is_1_without_a_traceback():
    done = gpukit("bench", "matmul", "--device", "cude:0")
    assert done.returncode == 1
    assert "Did you mean" in done.stderr
    assert "Traceback" not in done.stderr


def test_versions():
    assert "gpukit:" in gpukit("versions").stdout


def test_a_closed_pipe_is_quiet():
    line = f"{sys.executable} -m gpukit info --stack | head -n 1"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_matmul_exercise_writes_json(tmp_path):
    done = gpukit("bench", "matmul", "--device", "cpu", "--json", str(tmp_path / "r.json"))
    assert done.returncode == 0, done.stderr
    assert "r.json will hold times" in done.stderr
    (row,) = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert row["gflops"] > 0
    assert row["name"].startswith("matmul")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("info", "--jsno"), "did you mean '--json'"),
        (("bench", "--devise=cpu"), "did you mean '--device'"),
        (("--verison",), "did you mean '--version'"),
    ],
)
def test_a_misspelt_option_is_answered_with_the_near_one(arguments, words):
    done = gpukit(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_every_command_is_in_the_help_with_a_summary():
    from gpukit import _cli

    text = " ".join(gpukit("--help").stdout.split())
    for command in _cli.commands():
        assert command.name in text
        assert command.summary in text


def test_control_c_is_130():
    script = "import gpukit.cli as c, gpukit._cli.info as i\n" + (
        "def stop(_): raise KeyboardInterrupt\ni.overview = stop\nimport sys; sys.exit(c.main([]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_a_pipe_that_closes_before_the_first_byte_is_quiet():
    line = f"{sys.executable} -m gpukit versions | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_an_exercise_prints_its_table_and_writes_html(tmp_path):
    done = gpukit("bench", "logging", "--device", "cpu", "--html", str(tmp_path / "r.html"))
    assert done.returncode == 0, done.stderr
    assert "item() each" in done.stdout
    assert "<table>" in (tmp_path / "r.html").read_text()


def test_an_exercise_on_stdout_is_one_document():
    done = gpukit("bench", "bandwidth", "--device", "cpu", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] == "BandwidthTable"
    assert document["environment"]["python"]


@pytest.mark.parametrize("command", ["info", "doctor", "smi", "vendors", "versions"])
def test_json_is_one_document_on_stdout(command):
    done = gpukit(command, "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    assert done.returncode in {0, 1}


@pytest.mark.parametrize("command", ["info", "doctor", "smi", "vendors", "versions"])
def test_piped_text_has_no_escape_sequences(command):
    assert "\x1b" not in gpukit(command).stdout

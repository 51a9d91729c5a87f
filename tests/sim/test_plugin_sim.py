"""The plugin's marks, with simulated cards."""

from __future__ import annotations

import os
import subprocess
import sys

from support.plugin import PLUGIN_OPTIONS

MARKED = """
import gpukit, pytest

@pytest.mark.gpu
def test_one():
    assert gpukit.num_gpus() >= 1

@pytest.mark.gpus(2)
def test_two():
    assert gpukit.num_gpus() >= 2

@pytest.mark.simulate("3xRTX 2080 Ti")
@pytest.mark.gpus(3)
def test_three(gpubench):
    assert "2080 Ti" in gpukit.cuda.get_device_name(2)
    result = gpubench(gpukit.ones, 10, device="cuda:2", repeats=3)
    assert result.simulated

def test_after():
    assert gpukit.num_gpus() == {after}
"""


def run(path, cards, after):
    (path / "test_marks.py").write_text(MARKED.replace("{after}", str(after)))
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    environment.update({"GPUKIT_SIMULATE": cards} if cards else {"GPUKIT_LIBCUDA": "none"})
    return subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN_OPTIONS, "-p", "no:cacheprovider", "-rs"],
        cwd=path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=environment,
    )


def test_without_a_gpu_marks_skip_or_simulate(tmp_path):
    done = run(tmp_path, "", 0)
    assert done.returncode == 0, done.stdout
    assert "2 passed, 2 skipped" in done.stdout
    assert "Practise with gpukit.simulate(2)" in done.stdout


def test_with_two_cards_marks_run_and_a_simulation_of_its_own_ends(tmp_path):
    done = run(tmp_path, "2xT4", 2)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
    assert "(simulated)" in done.stdout


def test_a_mark_that_is_wrong_is_an_error(tmp_path):
    (tmp_path / "test_marks.py").write_text(
        "import pytest\n@pytest.mark.gpus\ndef test_it(): pass\n"
        "@pytest.mark.simulate('2xT5')\ndef test_card(): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN_OPTIONS, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert "the mark is gpus(n)" in done.stdout
    assert "T5" in done.stdout

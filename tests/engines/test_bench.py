"""`gpukit bench allreduce` and the page of benchmarks/scale_out.py."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

import gpukit
from support.mode import PROJECT

pytestmark = pytest.mark.timeout(115)


def test_rows_of_gpukit_and_of_gloo() -> None:
    table = gpukit.bench.allreduce(sizes=["4KiB", 1_000_000], rounds=2, timeout=90)
    assert [(row["bytes"], row["library"]) for row in table.rows] == [
        (4096, "gpukit"),
        (4096, "torch gloo"),
        (1_000_000, "gpukit"),
        (1_000_000, "torch gloo"),
    ]
    for row in table.rows:
        assert 0 < row["smallest"] <= row["median"]
        assert row["gbps"] == pytest.approx(row["bytes"] / row["median"] / 1e9)
    again = type(table).from_dict(json.loads(table.to_json()))
    assert again.rows == table.rows


def test_a_job_that_does_not_end_in_time_is_an_error() -> None:
    with pytest.raises(gpukit.DistributedError, match="ended with status 124"):
        gpukit.bench.allreduce(timeout=0.1)


def test_arguments() -> None:
    with pytest.raises(gpukit.ArgumentError, match="rounds must be 1 or more"):
        gpukit.bench.allreduce(rounds=0)
    with pytest.raises(gpukit.ArgumentError, match="sizes"):
        gpukit.bench.allreduce(sizes=[3])


def test_the_command_takes_no_device() -> None:
    command = [sys.executable, "-m", "gpukit", "bench", "allreduce", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "runs on no device" in done.stderr


def test_the_picture_of_the_page_is_that_of_its_formula() -> None:
    script = PROJECT / "benchmarks" / "scale_out_picture.py"
    spec = importlib.util.spec_from_file_location("scale_out_picture", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shown = PROJECT / "docs" / "_static" / "scale-out.svg"
    assert shown.read_text(encoding="utf-8") == module.picture()
    assert 'viewBox="0 0 400 ' in module.picture()  # a phone shows its texts at 12 px
    page = (PROJECT / "docs" / "scale-out.md").read_text(encoding="utf-8")
    for size, link in ((3e8, 1.25e9), (1e9, 12.5e9), (1e9, 1.25e9)):
        assert f"{module.step_over_compute(size, link, 128):.3g} times" in page
    assert module.step_over_compute(2.7e6, 1.25e9, 128) == 1

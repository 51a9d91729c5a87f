"""`gpukit bench gil` and `gpukit bench overlap` on a simulated card that takes its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

import gpukit
from gpukit.bench.ticker import freedom_during
from support.simulation import simulation


def bench(name: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "gpukit", "bench", name, "--json"],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env={**os.environ, "GPUKIT_SIMULATE": "1xT4,realtime=1"},
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    assert document["simulated"] is True
    return document


def test_a_thread_that_gets_nothing_shows():
    free = freedom_during(lambda: time.sleep(0.2))
    held = freedom_during(lambda: sorted(range(3_000_000), key=int.__neg__))
    assert free.rate > 1000
    assert held.rate < free.rate
    assert held.longest_stall >= 0


def test_gil_report_prints_a_row_for_each_call():
    with simulation(1, "T4", realtime=True):
        report = gpukit.gil_report("cuda:0", size="4MiB")
        text = str(report)
    assert report.simulated
    for what in ("upload, ordinary memory", "download", "event.synchronize", "exp"):
        assert what in text
    assert report.worst_share > 0
    assert report.longest_stall < 1
    assert {row["library"] for row in report.rows} <= {"gpukit", "torch"}


def test_overlap_finds_what_is_hidden():
    with simulation(1, "T4", realtime=True, link_gbps=0.2):
        found = gpukit.bench.overlap("cuda:0", size="4MiB")
        text = str(found)
    assert set(found.overlap) == {"upload, ordinary memory", "upload, pinned", "download, pinned"}
    assert max(found.overlap.values()) > 0.5
    assert "both at once" in text


def test_bad_arguments():
    for call, error, text in (
        (lambda: gpukit.gil_report(size="much"), ValueError, "much"),
        (lambda: gpukit.gil_report(size=1.5), TypeError, "1.5"),
        (lambda: gpukit.gil_report(size=3), ValueError, "1024"),
        (lambda: gpukit.gil_report("cude"), gpukit.InvalidDeviceError, "cude"),
        (lambda: gpukit.bench.overlap("cpu"), ValueError, "cpu"),
        (lambda: gpukit.bench.overlap("cuda:77"), gpukit.DeviceNotFoundError, "77"),
    ):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gil", "overlap"])
def test_the_command_line(name):
    rows = bench(name)["rows"]
    assert len(rows) >= 3

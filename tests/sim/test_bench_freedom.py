"""`gpukit bench gil` and `gpukit bench overlap` on a simulated card that takes its time."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time

import pytest

import gpukit
from gpukit.bench.ticker import Freedom, freedom_during
from support.patience import holds
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
    tries: list[Freedom] = []

    def is_free() -> bool:
        tries.append(freedom_during(lambda: time.sleep(0.2)))
        return tries[-1].share(tries[-1]) > 0.97

    assert holds(is_free), tries
    free = tries[-1]
    assert free.rate > 1000
    held = freedom_during(lambda: sorted(range(3_000_000), key=int.__neg__))
    assert held.share(free) < 0.8
    assert held.longest_stall > 0.02


def test_a_busy_machine_is_not_taken_for_a_lock():
    burn = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(burn) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        several = [freedom_during(lambda: time.sleep(0.2)) for _ in range(4)]
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert all(seen.held is not None for seen in several)
    assert max(seen.share(seen) for seen in several) > 0.97
    assert min(seen.longest_stall for seen in several) < 0.01


def test_gil_report_prints_a_row_for_each_call():
    with simulation(1, "T4", realtime=True):
        report = gpukit.gil_report("cuda:0", size="4MiB")
        text = str(report)
    assert report.simulated
    for what in ("upload, ordinary memory", "download", "event.synchronize", "exp"):
        assert what in text
    assert {row["library"] for row in report.rows} <= {"gpukit", "torch"}


def test_gil_report_finds_other_threads_free():
    """What 0.1 s of work leave them is asserted in tests/sim/test_entry_points.py; here a call is
    short, so a busy machine gets several tries, and each row may have one of its own."""
    free: set[str] = set()

    def each_was_free() -> bool:
        found = gpukit.gil_report("cuda:0", size="4MiB")
        rows = [row for row in found.rows if row["library"] == "gpukit"]
        assert found.worst_share == min(row["share"] for row in rows)
        assert found.longest_stall == max(row["longest_stall"] for row in rows)
        is_free = (row["share"] > 90 and row["longest_stall"] < 0.05 for row in rows)
        names = [row["what"] for row in rows]
        free.update(itertools.compress(names, is_free))
        return free == set(names)

    with simulation(1, "T4", realtime=True):
        assert holds(each_was_free, 20), free


KINDS = {"upload, ordinary memory", "upload, pinned", "download, pinned"}


def test_overlap_of_the_model_hides_all():
    with simulation(1, "T4"):
        found = gpukit.bench.overlap("cuda:0", size="16MiB")
        text = str(found)
    assert set(found.overlap) == KINDS
    assert min(found.overlap.values()) > 0.9
    assert "both together" in text
    assert all(row["both"] >= 0.99 * row["ideal"] for row in found.rows)


def test_overlap_in_real_time():
    """Its products are computed on this machine's cores, so a busy one gets several tries."""

    def they_overlap() -> bool:
        found = gpukit.bench.overlap("cuda:0", size="4MiB")
        return max(found.overlap.values()) > 0.5 and max(row["python"] for row in found.rows) > 97

    with simulation(1, "T4", realtime=True, link_gbps=0.2):
        assert holds(they_overlap)


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

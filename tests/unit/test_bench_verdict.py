"""No sentence of bench names a floor above the measured time, whatever was measured."""

from __future__ import annotations

import importlib
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpukit
from gpukit.bench import verdict
from gpukit.bench._peaks import Peaks
from gpukit.bench.work import Work

peaks_module = importlib.import_module("gpukit.bench._peaks")
_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d[\d.,e+]*) (ns|µs|ms|min|s|h)\b")


def durations(sentence):
    return [
        float(number.replace(",", "")) * _UNITS[unit]
        for number, unit in _DURATION.findall(sentence)
    ]


def fixed(monkeypatch, best, launch=1e-6):
    """The peaks and launch cost of a device, which no measurement changes."""
    monkeypatch.setattr(verdict, "peaks", lambda device: best)
    monkeypatch.setattr(verdict, "launch_seconds", lambda device: launch)
    monkeypatch.setattr(verdict, "measure_cpu_again", lambda: None)


positive = st.floats(1e-9, 1e6, allow_nan=False)


@settings(deadline=None)
@given(
    seconds=positive,
    flops=st.floats(0, 1e18),
    size=st.floats(0, 1e15),
    operations=st.integers(1, 10**6),
    gflops=positive,
    bandwidth=positive,
    launch=st.floats(1e-8, 1e-2),
    dtype=st.sampled_from(["float32", "float64", "int64", "float16"]),
)
def test_a_floor_is_never_above_the_time(
    seconds, flops, size, operations, gflops, bandwidth, launch, dtype
):
    best = Peaks("cpu", gflops / 2, gflops, None, None, bandwidth, None, "made up")
    work = Work(operations, size, {dtype: flops} if flops else {})
    with pytest.MonkeyPatch.context() as patch:
        fixed(patch, best, launch)
        found = verdict.judge_bound(work, gpukit.cpu(), seconds, 0.0)
        floors = verdict.floors(work, gpukit.cpu())
    shown = durations(found.sentence)
    assert shown, found.sentence
    assert max(shown) <= seconds * 1.01 + 1e-9, found.sentence
    assert found.sentence.startswith(f"{found.bound}-bound: ")
    assert floors[found.bound] == max(floors.values())
    assert found.percent_of_peak is None


@settings(deadline=None)
@given(seconds=positive, copies=positive)
def test_copies_name_the_bound_only_when_they_are_longer(seconds, copies):
    work = Work(1, 1e3, {"float32": 1e3})
    with pytest.MonkeyPatch.context() as patch:
        fixed(patch, Peaks("cpu", 1.0, 1.0, None, None, 1.0, None, "made up"))
        found = verdict.judge_bound(work, gpukit.cpu(), seconds, copies)
    assert (found.bound == "copy") == (copies > seconds)


def test_a_peak_that_was_measured_under_load_is_measured_anew(monkeypatch):
    """As when other programs ran: the first measurement is far too low."""
    true = peaks_module._measured_cpu(gpukit.get_num_threads())
    slow = Peaks("cpu", 0.01, 0.01, None, None, 0.01, None, "measured here, under load")
    monkeypatch.setattr(peaks_module, "_of_cpu", {gpukit.get_num_threads(): slow})
    monkeypatch.setattr(peaks_module, "_measurements", {gpukit.get_num_threads(): 1})
    monkeypatch.setattr(peaks_module, "_measured_cpu", lambda threads: true)
    x = gpukit.rand(256, 256)
    result = gpukit.bench(lambda: x @ x, max_time=0.1, verbose=False)
    assert max(durations(result.verdict)) <= result.median * 1.01
    assert gpukit.bench.peaks("cpu").fp32 == true.fp32


def test_a_better_measurement_stays_and_there_are_few(monkeypatch):
    threads = gpukit.get_num_threads()
    made = []

    def measured(number):
        made.append(number)
        return Peaks("cpu", 1.0, float(5 - len(made)), None, None, 2.0, None, "made up")

    monkeypatch.setattr(peaks_module, "_of_cpu", {})
    monkeypatch.setattr(peaks_module, "_measurements", {})
    monkeypatch.setattr(peaks_module, "_measured_cpu", measured)
    for _ in range(20):
        peaks_module.measure_cpu_again()
    assert made == [threads] * 4
    assert gpukit.bench.peaks("cpu").fp32 == 4.0


def test_the_readmes_example_says_no_floor_above_its_time():
    a = gpukit.rand(512, 512)
    result = gpukit.bench(gpukit.matmul, a, a, max_time=0.2, verbose=False)
    rows = result if isinstance(result, gpukit.bench.BenchTable) else [result]
    for row in rows:
        if row.bound != "copy":
            assert max(durations(row.verdict)) <= row.compute * 1.01, row.verdict
    assert math.isfinite(rows[0].median)

"""Plausible numbers on real hardware: no share above the peak, copies that add up, one crossing."""

from __future__ import annotations

import math

import pytest

import gpukit
from gpukit import bench
from gpukit.bench.verdict import launch_seconds

GPU = "cuda:0"
QUICK = {"device": GPU, "max_time": 2.0, "verbose": False}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_a_product_is_below_the_peak(dtype):
    result = bench.matmul(4096, GPU, dtype)
    assert result.agrees is None
    assert result.bound in {"compute", "copy"}
    assert 0 < 100 * result.gflops / bench.peaks(GPU).gflops(dtype) <= 100
    assert result.percent_of_peak is None or result.percent_of_peak <= 100


def test_a_large_copy_is_below_the_peak():
    x = gpukit.ones(1 << 28, device=GPU)
    result = gpukit.bench(x.clone, name="copy", **QUICK)
    assert result.bound == "memory"
    assert 30 < result.percent_of_peak <= 100
    assert "device attributes" in result.peak_source


def test_naive_time_of_a_large_product_is_its_launch():
    x = gpukit.rand(8192, 8192, device=GPU)
    result = gpukit.bench(lambda: x @ x, name="product", **QUICK)
    assert result.naive_ms / 1e3 < 0.2 * result.wall
    assert result.naive_reason == "launch only"


def test_a_small_product_is_bound_by_its_launch():
    x = gpukit.rand(16, 16, device=GPU)
    result = gpukit.bench(lambda: x @ x, name="product", **QUICK)
    assert result.bound == "launch"
    assert result.median > 0
    assert 1e-7 < launch_seconds(gpukit.device(GPU)) < 1e-4


def test_parts_add_up_to_the_whole():
    x = gpukit.rand(1 << 24).pin_memory()  # pageable copies vary by a factor of two
    split = gpukit.bench(lambda t: t * 2, x, name="double", **QUICK)
    whole = gpukit.bench(lambda t: t * 2, x, name="double", transfer="include", **QUICK)
    assert split.total == pytest.approx(whole.median, rel=0.10)


def test_bandwidth_is_within_the_link():
    table = bench.bandwidth(GPU, sizes=[1 << 26])
    assert table.best("h2d pinned") >= 0.95 * table.best("h2d pageable")
    link = table.facts["link"]
    assert link is None or table.best("h2d pinned") <= link
    assert not any(row.get("error") for row in table.rows)


def test_crossover_repeats_within_a_grid_step():
    found = [bench.crossover("matmul", hi=2048, device=GPU, budget_s=20) for _ in range(5)]
    sizes = sorted(one.n_compute or 0 for one in found)
    assert all(sizes)
    # Threads of the processor that sleep or not make single runs differ: the middle three agree.
    assert sizes[3] <= math.sqrt(2) * sizes[1] + 1
    assert not any(one.answers_differ for one in found)


def test_scaling_of_two_gpus():
    if gpukit.num_gpus() < 2:
        found = bench.scaling()
        assert "needs two devices" in found.to_text()
        return
    found = bench.scaling(size=4096)
    assert found.speedup >= 1.7 or found.reason


def test_clocks_are_noted():
    x = gpukit.rand(2048, 2048, device=GPU)
    result = gpukit.bench(lambda: x @ x, name="product", **QUICK)
    assert result.clocks is None or result.clocks["sm_mhz"][1] > 0

"""The arithmetic of measuring, on made-up times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpukit.bench.accuracy import largest_error, relative_error, tolerance
from gpukit.bench.stats import median_half_width, quantile, summarize
from gpukit.bench.stopping import StoppingRule, is_steady


def test_summary_is_numpys():
    times = np.random.default_rng(0).random(101)
    seen = summarize(list(times))
    assert seen.median == pytest.approx(np.median(times))
    assert seen.iqr == pytest.approx(np.subtract(*np.percentile(times, [75, 25])))
    assert (seen.min, seen.n) == (times.min(), 101)


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_quantile(fraction):
    values = sorted(np.random.default_rng(1).random(17))
    assert quantile(values, fraction) == pytest.approx(np.quantile(values, fraction))


def test_median_interval_holds_the_truth():
    generator = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        draws = sorted(generator.normal(10, 1, 41))
        middle, half = draws[20], median_half_width(draws)
        inside += abs(middle - 10) <= half
    assert inside >= 360, "a 95 % interval must hold the true median in about 95 % of trials"


def test_few_values_are_never_certain():
    assert median_half_width([1.0, 1.0, 1.0, 1.0]) == math.inf


@pytest.mark.parametrize(
    ("times", "elapsed", "expected"),
    [
        ([1.0] * 4, 1.0, False),  # too few
        ([1.0] * 5, 0.1, False),  # too soon
        ([1.0] * 5, 0.3, True),  # certain
        ([1.0, 2.0] * 5, 0.3, False),  # uncertain
        ([1.0, 2.0] * 5, 5.0, True),  # out of time
    ],
)
def test_stopping(times, elapsed, expected):
    assert StoppingRule().enough(times, elapsed) is expected


def test_fixed_repeats_win():
    rule = StoppingRule(repeats=2)
    assert not rule.enough([1.0], 100.0)
    assert rule.enough([1.0, 9.0], 0.0)


@pytest.mark.parametrize(
    ("times", "steady"),
    [([9, 8, 7], False), ([9, 8, 7, 6, 5, 4], False), ([9, 5, 5, 5, 5.1, 5, 5], True)],
)
def test_steady(times, steady):
    assert is_steady(times) is steady


def test_errors_are_relative_to_the_largest():
    assert relative_error([1.0, 100.0], [1.0, 101.0]) == pytest.approx(1 / 101)
    assert relative_error([np.nan, 1.0], [np.nan, 1.0]) == 0.0
    assert relative_error([np.inf, 1.0], [np.inf, 1.0]) == 0.0
    assert relative_error([np.nan], [1.0]) == math.inf
    assert relative_error([np.inf], [-np.inf]) == math.inf
    assert relative_error([1.0], [1.0, 2.0]) == math.inf
    assert largest_error([np.ones(2)], [np.ones(2), np.ones(2)]) == math.inf


def test_tolerance_grows_with_the_sum_and_holds_a_real_product():
    generator = np.random.default_rng(3)
    a, b = generator.random((2, 300, 300), dtype=np.float32)
    error = relative_error(a @ b, a.astype(np.float64) @ b.astype(np.float64))
    assert 0 < error < tolerance("float32", 300)
    assert tolerance("float32", 300) < 1e-4
    assert tolerance("int32") == 0.0
    assert tolerance("float16", 4096) < 0.02, "half types are summed in float32"

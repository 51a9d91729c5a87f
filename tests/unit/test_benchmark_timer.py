"""torch's Timer over gpukit's clock and statistics."""

from __future__ import annotations

import itertools

import pytest

import gpukit
from gpukit.utils.benchmark import Measurement, Timer


def ticking():
    """A clock that goes on by a second each time."""
    count = itertools.count()
    return lambda: float(next(count))


def test_runs_are_counted():
    seen = []
    timer = Timer("seen.append(n)", setup="n = 3", globals={"seen": seen}, timer=ticking())
    measured = timer.timeit(500)
    assert len(seen) == 505
    assert (measured.number_per_run, measured.raw_times) == (500, [1.0])
    assert measured.median == measured.mean == 1 / 500
    assert measured.iqr == 0


def test_blocks_go_on_until_the_time_is_over():
    told = []
    measured = Timer(timer=ticking()).blocked_autorange(
        lambda number, seconds: told.append((number, seconds)), min_run_time=4
    )
    assert measured.raw_times == [1.0] * 4
    assert told == [(measured.number_per_run, 1.0)] * 4


def test_statistics():
    measured = Measurement(10, [10.0, 20.0, 30.0, 40.0, 100.0], "a: b")
    assert (measured.median, measured.mean, measured.iqr) == (3, 4, 2)
    assert str(measured).splitlines()[1:] == [
        "a: b",
        "  Median: 3.00 s",
        "  IQR:    2.00 s",
        "  5 measurements, 10 runs per measurement, 1 thread",
    ]


def test_a_small_spread_ends_it_early():
    measured = Timer(timer=ticking()).adaptive_autorange(min_run_time=1, max_run_time=50)
    assert len(measured.raw_times) == 4


def test_threads_are_set_for_the_measurement_only():
    before, seen = gpukit.get_num_threads(), []
    Timer("seen.append(gpukit.get_num_threads())", globals={"seen": seen}, num_threads=2).timeit(1)
    assert set(seen) == {2}
    assert gpukit.get_num_threads() == before


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"gpukit\.bench\(f\)"):
        Timer(lambda: None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="language"):
        Timer(language="c++")
    with pytest.raises(ValueError, match="num_threads"):
        Timer(num_threads=0)
    with pytest.raises(ValueError, match="number"):
        Timer().timeit(0)

"""`gpukit.bench` on the CPU: what it measures, what it refuses."""

from __future__ import annotations

import json
import time

import pytest

import gpukit
from gpukit.bench import BenchResult, BenchTable, SimulatedBenchResult

QUICK = {"device": "cpu", "min_time": 0.02, "max_time": 0.2, "verbose": False}


def test_a_known_duration_is_measured():
    result = gpukit.bench(lambda: time.sleep(0.01), name="sleep", **QUICK)
    assert 0.010 <= result.median < 0.030
    assert result.first_call_ms >= 10
    assert result.n >= 5


def test_a_short_call_never_reads_zero():
    result = gpukit.bench(lambda: None, name="nothing", **QUICK)
    assert 0 < result.median < 1e-4


def test_a_dict_gives_a_table():
    table = gpukit.bench({"a": lambda: 1, "b": lambda: 2}, **QUICK)
    assert isinstance(table, BenchTable)
    assert [r.name for r in table] == ["a", "b"]


def test_results_order_by_median_and_refuse_to_mix():
    fast, slow = BenchResult("f", "cpu", median=1.0), BenchResult("s", "cpu", median=2.0)
    assert min([slow, fast]) is fast
    with pytest.raises(gpukit.SimulationError, match="cannot be compared"):
        _ = fast < SimulatedBenchResult("x", "cuda:0", median=1.0)


def test_a_failing_function_raises_when_it_is_alone():
    def broken():
        raise OSError("disk on fire")

    with pytest.raises(OSError, match="disk on fire"):
        gpukit.bench(broken, **QUICK)


def test_forms_hold_the_same_numbers():
    result = gpukit.bench(lambda: 1, name="one", **QUICK)
    document = json.loads(result.to_json())
    assert document["schema"] == 1
    assert document["median"] == result.median
    assert "| one | cpu |" in result.to_markdown()
    assert "<table>" in result._repr_html_()
    assert str(result.median) in result.to_csv()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3,), TypeError, "fn must be callable, got 3"),
        (({},), ValueError, "empty"),
        (({1: print},), TypeError, "names of functions"),
    ],
)
def test_bad_functions(arguments, error, words):
    with pytest.raises(error, match=words):
        gpukit.bench(*arguments, **QUICK)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"min_time": 0}, ValueError, "min_time must be above 0"),
        ({"max_time": -1}, ValueError, "max_time must be above 0"),
        ({"max_time": "1"}, TypeError, "max_time must be seconds"),
        ({"repeats": 0}, ValueError, "repeats must be at least 1"),
        ({"repeats": 1.5}, TypeError, "repeats must be a count"),
        ({"transfer": "maybe"}, ValueError, "transfer must be one of"),
        ({"check": "sometimes"}, ValueError, "check must be"),
        ({"warmup": "long"}, ValueError, "warmup must be"),
        ({"device": "cude:0"}, ValueError, "cude:0"),
        ({"devices": ["cpu"]}, ValueError, "not both"),
    ],
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=words):
        gpukit.bench(lambda: 1, **{**QUICK, **options})


def test_unknown_exercise_has_a_near_name():
    with pytest.raises(AttributeError, match="Did you mean 'matmul'"):
        _ = gpukit.bench.matmull


def test_matmul_counts_its_work():
    result = gpukit.bench.matmul(64, "cpu")
    assert result.flops == 2 * 64**3
    assert result.gflops == pytest.approx(result.flops / result.median / 1e9)


@pytest.mark.parametrize("n", [0, -3, 2.5, True, "8"])
def test_matmul_bad_size(n):
    with pytest.raises((TypeError, ValueError), match=r"bench\.matmul: n"):
        gpukit.bench.matmul(n, "cpu")


def test_timer_prints(capsys):
    with gpukit.bench.timer("done") as t:
        time.sleep(0.01)
    assert capsys.readouterr().out.startswith("done: 0.0")
    assert t.seconds >= 0.01

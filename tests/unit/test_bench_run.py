"""`gpukit.bench` on the CPU: what it measures, what it refuses."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import gpukit
from gpukit.bench import BenchResult, BenchTable, SimulatedBenchResult
from support.patience import holds

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
    assert [r.agrees for r in table] == [None, False]
    assert [r.speedup for r in table] == [None, None]


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


def test_numbers_of_numpy_are_options_and_sizes():
    options = {"repeats": np.int64(2), "warmup": np.int32(1), "min_time": np.float32(0.01)}
    result = gpukit.bench(lambda: 1, name="one", max_time=np.float64(0.2), verbose=False, **options)
    assert result.n == 2
    product = gpukit.bench.matmul(np.int64(64), "cpu")
    assert product.flops == 2 * 64**3
    assert json.loads(product.to_json())


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


def test_setup_goes_before_every_sample_and_is_not_timed():
    calls = []

    def setup():
        calls.append("setup")
        time.sleep(0.01)

    result = gpukit.bench(
        lambda: calls.append("call"), name="f", setup=setup, repeats=5, verbose=False
    )
    assert result.median < 0.005
    pairs = list(zip(calls[::2], calls[1::2], strict=True))
    assert set(pairs) == {("setup", "call")}


def test_a_flushed_cache_is_slower_and_answers_are_the_same():
    x = gpukit.ones(1 << 18)
    result = gpukit.bench(x.sum, name="sum", flush_l2=True, repeats=5, **QUICK)
    assert result.n == 5
    assert result.median > 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"setup": 3}, TypeError, "setup must be callable"),
        ({"tol": -1}, ValueError, "tol must be 0 or more"),
        ({"tol": "much"}, TypeError, "tol must be a number"),
        ({"libraries": ("tensorflow",)}, ValueError, "libraries must name"),
        ({"libraries": ()}, ValueError, "libraries must name"),
        ({"warmup": -1}, ValueError, "warmup must be"),
        ({"warmup": True}, TypeError, "warmup must be"),
    ],
)
def test_bad_new_options(options, error, words):
    with pytest.raises(error, match=words):
        gpukit.bench(lambda: 1, **{**QUICK, **options})


def test_empty_devices_are_refused():
    with pytest.raises(ValueError, match="devices is empty"):
        gpukit.bench(lambda: 1, devices=[], verbose=False)


@pytest.mark.parametrize("libraries", [("gpukit",), ("gpukit", "numpy")])
def test_a_failing_function_keeps_its_error_beside_others(libraries):
    def broken():
        raise OSError("disk on fire")

    table = gpukit.bench({"good": lambda: 1, "bad": broken}, libraries=libraries, **QUICK)
    errors = {row.name: row.error for row in table if row.library == "gpukit"}
    assert errors == {"good": None, "bad": "OSError: disk on fire"}
    assert "failed: OSError: disk on fire" in table.to_text()


def test_a_size_beyond_memory_is_a_failed_row():
    result = gpukit.bench.matmul(10_000_000, "cpu")
    assert result.error.startswith(("MemoryError", "OutOfMemoryError"))
    assert result.median is None
    assert "failed" in str(result)


def test_speedup_has_an_interval():
    x = gpukit.rand(64, 64)
    table = gpukit.bench(
        gpukit.matmul, x, x, devices=["cpu", "cpu"], max_time=3, min_time=0.05, verbose=False
    )
    second = table[1]
    assert second.speedup_low <= second.speedup <= second.speedup_high


def test_functions_are_compared_within_the_rounding_of_their_sums():
    x = gpukit.rand(256, 256)
    works = {
        "product": lambda: x @ x,
        "rounded": lambda: (x @ x) * (1 + 5e-6),
        "wrong": lambda: (x @ x) * (1 + 5e-5),
        "of another kind": lambda: "text",
        "of several": lambda: (x, x),
        "nothing": lambda: None,
    }
    table = gpukit.bench(works, **QUICK)
    assert [row.agrees for row in table] == [None, True, False, False, False, False]
    assert [row.speedup is not None for row in table] == [False, True] + 4 * [False]
    with pytest.raises(gpukit.BenchError, match="wrong on cpu and product on cpu differ"):
        gpukit.bench({k: works[k] for k in ("product", "wrong")}, check="raise", **QUICK)
    assert all(row.agrees is None for row in gpukit.bench(works, check=False, **QUICK))


def test_one_sample_has_no_spread():
    result = gpukit.bench(lambda: time.sleep(0.001), name="nap", repeats=1, verbose=False)
    assert (result.n, result.iqr, result.low, result.noisy) == (1, None, None, False)
    assert "±" not in repr(result)
    assert "± spread" not in str(result)


def test_conditions_are_noted():
    result = gpukit.bench(lambda: sum(range(1000)), name="sum", **QUICK)
    assert result.clocks is None
    assert result.others_on_gpu is None
    assert result.environment["threads"] >= 1


def test_naive_reading_of_a_tiny_call_is_the_clocks():
    x = gpukit.ones(4, 4)

    def is_below_the_clock():
        result = gpukit.bench(lambda: x.T, name="transpose", **QUICK)
        assert result.median > 0
        return result.naive_reason == "clock resolution"

    assert holds(is_below_the_clock)

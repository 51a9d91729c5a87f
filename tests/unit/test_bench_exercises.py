"""The exercises on the CPU: what they return, what they refuse."""

from __future__ import annotations

import itertools
import json
import math

import pytest

import gpukit
from gpukit import bench
from gpukit._cli.bench import EXERCISE_NAMES
from gpukit.bench._crossover import find_band, grid
from gpukit.bench.exercises import EXERCISES


def test_the_command_line_knows_every_exercise():
    assert tuple(EXERCISES) == EXERCISE_NAMES
    for name, exercise in EXERCISES.items():
        assert exercise.run is getattr(bench, name)
        assert exercise.summary


@pytest.mark.parametrize(("lo", "hi"), [(16, 8192), (8, 32), (10, 1000)])
def test_grid_grows_by_the_root_of_two(lo, hi):
    sizes = grid(lo, hi)
    assert (sizes[0], sizes[-1]) == (lo, hi)
    assert sizes == sorted(set(sizes))
    assert all(1 < b / a < 1.5 for a, b in itertools.pairwise(sizes))


def made_up(cpu, gpu, spread=0.0):
    """Rows of a CPU and a GPU whose times are functions of n."""
    return [
        {
            "n": n,
            "cpu": cpu(n),
            "cpu_low": cpu(n) * (1 - spread),
            "cpu_high": cpu(n) * (1 + spread),
            "gpu": gpu(n),
            "gpu_low": gpu(n) * (1 - spread),
            "gpu_high": gpu(n) * (1 + spread),
        }
        for n in grid(16, 4096)
    ]


def test_crossing_is_found_between_the_sizes():
    band = find_band(made_up(lambda n: n**3, lambda n: 300**3), "gpu")
    assert band.n == pytest.approx(300, rel=0.01)
    assert (band.low, band.high) == (band.n, band.n)


def test_spread_makes_a_band():
    band = find_band(made_up(lambda n: n**3, lambda n: 300**3, spread=0.2), "gpu")
    assert band.low < 300 < band.high


def test_never_and_always():
    assert find_band(made_up(lambda n: 1.0, lambda n: 2.0), "gpu").n is None
    assert find_band(made_up(lambda n: 2.0, lambda n: 1.0), "gpu").n == 16


def test_a_win_that_does_not_last_does_not_count():
    band = find_band(
        made_up(lambda n: 3.0 if n in {64, 2048, 2896, 4096} else 1, lambda n: 2.0), "gpu"
    )
    assert 1448 < band.n <= 2048


def test_crossover_without_a_gpu_says_so():
    found = bench.crossover("sum", lo=8, hi=16, device="cpu", budget_s=2)
    assert found.n_compute is None
    assert found.n_total is None
    assert all(row["cpu"] > 0 for row in found.rows)
    there = gpukit.cuda.is_available()
    assert ("--device cuda:0" if there else "gpukit sim 2xT4") in found.to_text()


def test_crossover_of_a_callable():
    def op(n, device):
        x = gpukit.ones(n, device=device)
        return lambda: x + 1

    found = bench.crossover(op, lo=8, hi=11, device="cpu", budget_s=1)
    assert len(found.rows) == 2
    assert "op" in found.title


def test_crossover_stops_at_its_budget():
    found = bench.crossover("matmul", lo=64, hi=8192, device="cpu", budget_s=0.5)
    assert len(found.rows) < len(grid(64, 8192))
    assert "Stopped after" in found.to_text()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"op": "matmull"}, ValueError, "Did you mean 'matmul'"),
        ({"op": 3}, TypeError, "a name or a callable"),
        ({"op": lambda n, device: 3}, TypeError, "must return a callable"),
        ({"lo": 0}, ValueError, "lo must be at least 1"),
        ({"lo": 64, "hi": 64}, ValueError, "hi must be at least 65"),
        ({"hi": 1.5}, TypeError, "hi must be an integer"),
        ({"budget_s": 0}, ValueError, "budget_s must be above 0"),
    ],
)
def test_crossover_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        bench.crossover(**{"lo": 8, "hi": 16, "device": "cpu", "budget_s": 1, **arguments})


def test_bandwidth_on_the_cpu():
    table = bench.bandwidth("cpu", sizes=[4096, 1 << 20])
    assert [row["kind"] for row in table.rows] == ["host to host"] * 2
    assert all(row["gbps"] > 0 for row in table.rows)
    assert table.flops_per_float is None
    assert table.best("host to host") > 0
    assert table.best("h2d pinned") is None


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sizes": [0]}, ValueError, "sizes must be at least 1"),
        ({"sizes": []}, ValueError, "sizes is empty"),
        ({"sizes": ["4KiB"]}, TypeError, "sizes must be an integer"),
        ({"pinned": "yes"}, ValueError, "pinned must be"),
        ({"directions": ("h2h",)}, ValueError, "directions must be of"),
    ],
)
def test_bandwidth_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        bench.bandwidth("cpu", **arguments)


def test_logging_does_equal_work_in_every_way():
    table = bench.logging(n=20, size=16, device="cpu")
    assert {row["how"]: row["copies"] for row in table.rows} == {
        "print each": 20,
        "item() each": 20,
        "kept, moved once": 1,
        "DeviceLog": 1,
    }
    assert all(row["agrees"] for row in table.rows)
    assert min(row["ratio"] for row in table.rows) == 1.0


def test_batching_has_a_ratio_because_answers_agree():
    found = bench.batching(n=16, size=8, device="cpu")
    assert [row["batch"] for row in found.rows[1:]] == [1, 2, 4, 8, 16]
    assert found.ratio == pytest.approx(found.rows[0]["seconds"] / found.rows[-1]["seconds"])
    assert found.launch_seconds >= 0
    assert not found.answers_differ


def test_scaling_on_one_device_says_what_is_missing():
    found = bench.scaling(devices=["cpu"], size=32)
    assert (found.speedup, found.efficiency, found.parallel) == (None, None, None)
    assert found.sequential > 0
    assert "needs two devices" in found.to_text()


@pytest.mark.parametrize("name", ["logging", "batching", "scaling"])
def test_sizes_of_exercises_are_checked(name):
    with pytest.raises(ValueError, match=rf"bench\.{name}: size must be at least 1"):
        getattr(bench, name)(size=0)
    with pytest.raises(TypeError, match=rf"bench\.{name}: size must be an integer"):
        getattr(bench, name)(size="8")


def test_relative_names_its_workloads():
    table = bench.relative("P100", device="cpu")
    product = next(row for row in table.rows if "product" in row["what"])
    assert product["multiple"] == pytest.approx(product["here"] / 9300)
    assert "table of" in table.to_text()


def test_compare_shows_libraries_side_by_side():
    x = gpukit.rand(24, 24)
    table = bench.compare(
        gpukit.matmul,
        args=(x, x),
        libraries=("gpukit", "numpy", "cupy"),
        devices=["cpu"],
        max_time=0.1,
        verbose=False,
    )
    rows = {row.library: row for row in table}
    assert rows["numpy"].agrees
    assert rows["numpy"].flops == rows["gpukit"].flops == 2 * 24**3
    assert rows["numpy"].speedup == pytest.approx(rows["gpukit"].wall / rows["numpy"].wall)
    if rows.get("cupy"):
        assert rows["cupy"].error == "not installed"
        assert "not installed" in table.to_text()


def test_compare_refuses_an_unknown_library():
    with pytest.raises(ValueError, match="Did you mean 'numpy'"):
        bench.compare(gpukit.matmul, libraries=("numpi",))
    with pytest.raises(TypeError, match="at least one function"):
        bench.compare()


def test_tables_keep_their_environment_and_numbers(tmp_path):
    for make in (
        lambda: bench.batching(n=2, size=4, device="cpu"),
        lambda: bench.crossover("add", lo=8, hi=9, device="cpu", budget_s=1),
        lambda: bench.bandwidth("cpu", sizes=[64]),
        lambda: bench.scaling(["cpu"], size=8),
        lambda: bench.logging(n=2, size=4, device="cpu"),
    ):
        table = make()
        assert json.loads(table.to_json())["environment"]["gpukit"] == gpukit.__version__
        bench.save(table, tmp_path / "t.json")
        again = bench.load(tmp_path / "t.json")
        assert type(again) is type(table)
        assert again.to_text() == table.to_text()
        assert math.isfinite(len(again.to_html()))

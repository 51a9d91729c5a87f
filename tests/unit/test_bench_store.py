"""Results in files and against each other."""

from __future__ import annotations

import pytest

import gpukit
from gpukit import bench
from gpukit.bench import BenchResult, BenchTable, SimulatedBenchResult
from gpukit.bench.store import judge_change


def row(median, half=0.001, kind=BenchResult, name="f"):
    return kind(name, "cpu", median=median, low=median - half, high=median + half, n=30)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (row(1.0), row(1.0), "same"),
        (row(1.0), row(1.02), "same"),
        (row(1.0), row(0.5), "faster"),
        (row(1.0), row(2.0), "slower"),
        (row(1.0, 0.5), row(1.2, 0.5), "undecided"),
        (row(1.0, 0.1), row(1.0, 0.1), "undecided"),
        (row(1.0), BenchResult("f", "cpu", median=2.0), "undecided"),
        (row(1.0), BenchResult("f", "cpu", error="failed"), "undecided"),
    ],
)
def test_verdicts(before, after, verdict):
    assert judge_change(before, after) == verdict


def test_diff_joins_rows_and_names_what_is_missing():
    before = BenchTable("a", [row(1.0), row(1.0, name="gone")])
    after = BenchTable("b", [row(2.0), row(1.0, name="new")])
    table = bench.diff(before, after)
    assert [(r["name"], r["verdict"], r["change"]) for r in table.rows] == [("f", "slower", 100.0)]
    assert table.of("slower") == table.rows
    assert "only on one side: gone on cpu" in table.notes
    assert "only on one side: new on cpu" in table.notes


def test_diff_never_mixes_simulated_and_measured():
    with pytest.raises(gpukit.SimulationError, match="cannot be compared"):
        bench.diff(row(1.0), row(1.0, kind=SimulatedBenchResult))


def test_results_come_back_from_files(tmp_path):
    made = gpukit.bench(lambda: 1, name="one", repeats=7, verbose=False)
    bench.save(made, tmp_path / "r.json")
    again = bench.load(tmp_path / "r.json")
    assert again == made
    assert again.samples == made.samples
    table = BenchTable("t", [made, row(1.0, kind=SimulatedBenchResult)], ["a note"])
    bench.save(table, tmp_path / "t.json")
    back = bench.load(tmp_path / "t.json")
    assert back.results == table.results
    assert back.notes == table.notes
    assert bench.diff(str(tmp_path / "r.json"), again).rows[0]["change"] == 0.0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "Sculpture"}', "not json"])
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=r"bench\.load"):
        bench.load(tmp_path / "x.json")


def test_bad_arguments():
    with pytest.raises(TypeError, match=r"bench\.save: result"):
        bench.save(3, "x")
    with pytest.raises(TypeError, match=r"bench\.diff: a must be"):
        bench.diff(3, row(1.0))


def test_plots_are_drawn_without_a_display(tmp_path):
    measured = gpukit.bench(lambda: 1, name="one", repeats=7, verbose=False)
    figure = measured.plot(tmp_path / "samples.png")
    assert (tmp_path / "samples.png").stat().st_size > 1000
    assert figure.axes[0].get_ylabel() == "time of one call (ms)"
    for make in (
        lambda: bench.batching(n=2, size=4, device="cpu"),
        lambda: bench.crossover("add", lo=8, hi=9, device="cpu", budget_s=1),
        lambda: bench.bandwidth("cpu", sizes=[64]),
        lambda: bench.scaling(["cpu"], size=8),
    ):
        axes = make().plot().axes[0]
        assert axes.get_ylabel()
        assert axes.get_title()


def test_simulated_plots_are_marked():
    result = row(1.0, kind=SimulatedBenchResult)
    result.samples = [1.0, 1.0]
    texts = [text.get_text() for text in result.plot().axes[0].texts]
    assert texts == ["simulated"]


def test_what_has_no_plot_says_so():
    with pytest.raises(TypeError, match="has no plot"):
        bench.logging(n=2, size=4, device="cpu").plot()

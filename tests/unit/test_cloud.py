"""gpukit.cloud: records, arithmetic and texts. Nothing asks a network."""

from __future__ import annotations

import ast
import doctest
import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit.bench import BenchResult, BenchTable, SimulatedBenchResult
from gpukit.bench._peaks import card_row, table_names
from gpukit.cloud.card_table import _memory
from gpukit.cloud.estimation import speed_range
from gpukit.cloud.guidance import _STEPS
from gpukit.cloud.offers import document, first_day, offers
from gpukit.errors import BenchError, SimulationError

cloud = gpukit.cloud

# Tutorial 000's table, column by column.
TUTORIAL = {
    "colab-free": ("T4/P100", "1x", "12-16GB", 0),
    "kaggle-free": ("P100", "1x", "16GB", 0),
    "aws-p3.2xlarge": ("V100", "2-3x", "16GB", 3.06),
    "aws-p4d.24xlarge": ("8x A100", "25-30x", "320GB", 32.77),
    "gcp-v100": ("V100", "2-3x", "16GB", 2.48),
    "lambda-a100": ("A100", "5-7x", "40GB", 2.50),
    "vast-rtx3090": ("RTX 3090", "1.5-2x", "24GB", 0.40),
}


# ---- records ----


def test_numbers_of_numpy_are_taken():
    plain = cloud.recommend(need_gb=10, gpus=2, hours=3).rows
    assert cloud.recommend(need_gb=np.float32(10), gpus=np.int64(2), hours=np.int8(3)).rows == plain


def test_tutorial_values_are_kept_as_they_are():
    kept = {each.name: each.tutorial_value for each in offers() if each.tutorial_value}
    assert {
        name: (value["gpu"], value["multiple"], value["memory"], value["price"])
        for name, value in kept.items()
    } == TUTORIAL
    assert all(value["use"] and "tutorial 000" in value["source"] for value in kept.values())


@pytest.mark.parametrize("each", offers(), ids=lambda each: each.name)
def test_every_record_is_complete(each):
    assert each.status in {"offered", "retired"}
    assert each.price_kind in {"free", "on-demand", "marketplace", "credits"}
    assert (each.price == 0) == (each.price_kind == "free")
    assert each.gpus >= 1
    assert each.source
    if each.price is not None:
        assert each.as_of is not None
        assert first_day(each.as_of) <= first_day(document()["as_of"])
    if each.card is not None:
        assert card_row(each.card)["name"] == each.card
        assert each.memory_gb == _memory()["memory_gb"][each.card] or each.name == "colab-free"
    assert cloud.steps(each.name).startswith("1. ")


def test_names_are_unique_and_the_providers_of_the_tutorials_are_there():
    names = [each.name for each in offers()]
    assert len(set(names)) == len(names)
    providers = {each.provider for each in offers()}
    assert providers >= {"Amazon EC2", "Microsoft Azure", "Huawei Cloud", "AutoDL", "Google Cloud",
                         "Amazon SageMaker", "Google Colab", "Kaggle"}  # fmt: skip
    assert {each.name for each in offers() if not each.offered} == {"azure-ncv3", "gcp-k80"}


def test_price_of_the_reference_table():
    found = {each.name: (each.price, each.as_of) for each in offers()}
    assert found["aws-p4d.24xlarge"] == (21.96, "2026-11-09")
    assert found["aws-p5.48xlarge"] == (55.04, "2026-11-09")
    assert found["aws-p3.2xlarge"] == (None, None)
    assert cloud.offer("aws-p5.48xlarge").per_gpu == pytest.approx(6.88)


def test_stale_after_180_days():
    offer = cloud.offer("aws-p4d.24xlarge")
    assert not offer.is_stale(date(2027, 5, 8))
    assert offer.is_stale(date(2027, 5, 9))
    assert not cloud.offer("aws-p3.2xlarge").is_stale(date(2030, 1, 1))  # no date to be old
    fresh, old = (cloud.table(today=date(year, 11, 21)) for year in (2026, 2028))
    assert sum(row["stale"] for row in fresh.rows) < sum(row["stale"] for row in old.rows)
    assert "stale" in str(old)
    assert [first_day(text) for text in ("2026", "2026-03", "2026-03-09")] == [
        date(2026, 1, 1),
        date(2026, 3, 1),
        date(2026, 3, 9),
    ]


# ---- tables ----


def test_cloud_is_callable_and_free_only_is_free():
    assert str(cloud()) == str(cloud.table())
    assert "check before buying" in str(cloud())
    assert {row["price"] for row in cloud(free_only=True).rows} == {0}
    for text in ("T4", "$32.77", "$21.96", "25-30x"):
        assert text in str(cloud())


def test_own_prices():
    rows = {row["name"]: row for row in cloud(price={"aws-p3.2xlarge": 1.5}).rows}
    assert (rows["aws-p3.2xlarge"]["price"], rows["aws-p3.2xlarge"]["price_kind"]) == (1.5, "yours")
    assert not rows["aws-p3.2xlarge"]["stale"]
    assert cloud.offer("aws-p3.2xlarge").price is None  # the records stay


def test_recommend_looks_at_one_gpu():
    names = [row["name"] for row in cloud.recommend(need_gb=60).rows]
    assert "aws-p4d.24xlarge" not in names  # 320 GB are eight times 40
    assert names[0] == "runpod-community-a100-80"
    assert all(cloud.offer(name).memory_gb >= 60 for name in names)


def test_recommend_counts_money():
    table = cloud.recommend(need_gb=24, hours=10, budget=5)
    assert [row["name"] for row in table.rows] == ["openrelay-rtx3090", "openrelay-rtx4090"]
    assert [row["cost"] for row in table.rows] == pytest.approx([1.8, 2.9])
    assert all(row["price"] == 0 for row in cloud.recommend(budget=0, hours=1000).rows)
    assert cloud.recommend(need_gb=1000).rows == []
    assert "Nothing recorded fits." in cloud.recommend(need_gb=1000).notes
    pairs = cloud.recommend(gpus=2, need_gb=16, budget=0)
    assert [row["name"] for row in pairs.rows] == ["kaggle-free"]
    assert any("simulate(2)" in note for note in pairs.notes)
    assert not {"gcp-k80", "azure-ncv3"} & {row["name"] for row in cloud.recommend().rows}
    costs = [row["cost"] for row in cloud.recommend(hours=3).rows]
    assert costs == sorted(costs)


def test_cards():
    table = cloud.cards()
    assert len(table) >= 30
    assert {row["card"] for row in table.rows} == set(table_names()) == set(_memory()["memory_gb"])
    assert all(row["architecture"] for row in table.rows)
    rows = {row["card"]: row for row in table.rows}
    assert rows["K80"]["gpukit"] == "no"
    assert rows["P100"]["gpukit"] == "yes"
    assert rows["RTX 4090"]["gflops_per_price"] == pytest.approx(82_600 / 0.29)
    assert rows["T4"]["rent"] is None  # free offers have no price
    for sort in ("memory", "fp32", "bandwidth", "gflops_per_price", "gflops_per_gb"):
        key = {"memory": "memory_gb", "fp32": "fp32_gflops", "bandwidth": "bandwidth_gbps"}
        values = [row[key.get(sort, sort)] for row in cloud.cards(sort=sort).rows]
        known = [value for value in values if value is not None]
        assert known == sorted(known, reverse=True)
        assert values[: len(known)] == known
    assert cloud.cards(sort="name").rows[0]["card"] == "A10"
    assert gpukit.cards(gpu="RTX 3090").rows == cloud.cards(gpu="rtx 3090").rows
    own = cloud.cards(gpu="T4", price={"aws-g4dn": 0.5}).rows[0]
    assert own["gflops_per_price"] == pytest.approx(8100 / 0.5)


def test_relative_has_two_columns():
    rows = {row["card"]: row for row in cloud.relative("P100").rows}
    for card, fp32, bandwidth in (
        ("P100", 1, 1), ("T4", 0.87, 0.44), ("V100", 1.69, 1.23), ("A100", 2.1, 2.12),
        ("RTX 3090", 3.83, 1.28), ("H100", 7.19, 4.58),
    ):  # fmt: skip
        assert rows[card]["fp32"] == pytest.approx(fp32, abs=0.01)
        assert rows[card]["bandwidth"] == pytest.approx(bandwidth, abs=0.01)


# ---- estimates ----


def result(device="Tesla T4", bound="compute", median=0.1, kind=BenchResult):
    return kind("step", device, median=median, bound=bound)


def test_estimate_scales_by_what_limits():
    rows = {row["name"]: row for row in cloud.estimate(result(), units=3600, epochs=10).rows}
    assert rows["colab-free"]["hours_low"] == rows["colab-free"]["hours_high"] == 1
    assert rows["colab-free"]["cost_high"] == 0
    a100 = rows["openrelay-a100"]
    ideal = 8.1 / 19.5
    assert a100["hours_low"] < ideal < a100["hours_high"]
    assert a100["cost_low"] == pytest.approx(a100["hours_low"] * 0.80)
    memory = {row["name"]: row for row in cloud.estimate(result(bound="memory")).rows}
    assert memory["openrelay-a100"]["hours_high"] < 0.1 / 3600
    launch = {row["name"]: row for row in cloud.estimate(result(bound="launch")).rows}
    assert launch["vast-h100"]["hours_low"] < 0.1 / 3600 < launch["vast-h100"]["hours_high"]
    unknown = speed_range("Tesla T4", "A100", None)
    assert unknown[0] < 19.5 / 8.1 < 1555 / 320 < unknown[1]
    costs = [row["cost_high"] for row in cloud.estimate(result()).rows]
    known = [cost for cost in costs if cost is not None]
    assert known == sorted(known)


def test_an_estimate_takes_what_bench_returned():
    slow, fast = result(device="Tesla T4", median=0.2), result(device="A100")
    cpu = BenchResult("step", "cpu", median=0.001, bound="compute")
    table = BenchTable("step", [cpu, slow, fast])
    assert cloud.estimate(table).rows == cloud.estimate(fast).rows
    with pytest.raises(BenchError, match="no time of a GPU"):
        cloud.estimate(BenchTable("step", [cpu]))
    two = BenchTable("two", [slow, BenchResult("other", "A100", median=0.1)])
    with pytest.raises(ValueError, match=r"several functions; choose one of its .results"):
        cloud.estimate(two)
    with pytest.raises(SimulationError):
        cloud.estimate(BenchTable("step", [SimulatedBenchResult("step", "Tesla T4", median=0.1)]))


def test_a_measured_device_is_named_by_its_card():
    measured = BenchResult("step", "cuda:1", median=0.1, bound="compute")
    measured.environment = {"gpus": ["NVIDIA H200", "Tesla T4"]}
    named = BenchResult("step", "Tesla T4", median=0.1, bound="compute")
    assert cloud.estimate(measured).rows == cloud.estimate(named).rows
    assert "on Tesla T4" in cloud.estimate(measured).to_text()


def test_copies_scale_with_the_link():
    rows = {row["name"]: row for row in cloud.estimate(result(bound="copy"), units=36_000).rows}
    pcie3, pcie4, pcie5 = rows["gcp-v100"], rows["openrelay-a100"], rows["vast-h100"]
    assert pcie3["hours_low"] > pcie4["hours_low"] > pcie5["hours_low"]
    assert pcie4["hours_low"] == pytest.approx(1 / 1.3 / (31.5 / 15.8))
    assert pcie4["hours_high"] == pcie5["hours_high"] == pytest.approx(1.3)  # the host may be older
    assert speed_range("Tesla T4", "T4", "copy") == (1, 1)
    assert all(speed_range("A100", name, "copy")[0] > 0 for name in table_names())


def test_free_sessions_end_and_quotas_last_weeks():
    table = cloud.estimate(result(), units=36_000, epochs=40)  # 40 hours on the T4
    rows = {row["name"]: row for row in table.rows}
    colab, kaggle, rented = (rows[name] for name in ("colab-free", "kaggle-free", "vast-h100"))
    assert (colab["sessions_low"], colab["sessions_high"], colab["weeks_high"]) == (4, 4, None)
    assert (kaggle["sessions"], kaggle["weeks_high"]) == ("4", 2)
    assert rented["sessions"] is None
    assert any("colab-free: 12 h a session" in note for note in table.notes)
    assert any("30 h a week, so 2 weeks at most" in note for note in table.notes)
    # A range of hours is a range of sessions.
    away = cloud.estimate(result(device="A100"), units=36_000, epochs=20)
    row = next(row for row in away.rows if row["name"] == "colab-free")
    assert row["sessions_low"] < row["sessions_high"]
    assert row["sessions"] == f"{row['sessions_low']} to {row['sessions_high']}"
    short = cloud.estimate(result())
    assert {row["sessions_high"] for row in short.rows} == {1, None}
    assert not any("a session" in note for note in short.notes)


def test_old_prices_are_named():
    table = cloud.estimate(result(), max_age_days=10**6)
    assert not any(row["stale"] for row in table.rows)
    assert not any("stale" in note for note in table.notes)
    strict = cloud.estimate(result(), max_age_days=0)
    assert all(row["stale"] for row in strict.rows if row["as_of"])
    assert any("stale: prices seen more than 0 days ago: " in note for note in strict.notes)
    with pytest.raises(ValueError, match="max_age_days"):
        cloud.estimate(result(), max_age_days=-1)


def test_estimate_refuses_what_says_nothing():
    with pytest.raises(SimulationError, match="simulated"):
        cloud.estimate(result(kind=SimulatedBenchResult))
    with pytest.raises(BenchError, match="'cpu' is not in"):
        cloud.estimate(result(device="cpu"))
    with pytest.raises(BenchError, match="has no time"):
        cloud.estimate(result(median=None))
    with pytest.raises(TypeError, match="must be a BenchResult"):
        cloud.estimate(0.1)


def test_breakeven_says_its_unit():
    weeks = gpukit.cloud.breakeven(600, 20, 0.30)
    assert (repr(weeks), str(weeks), f"{weeks:.1f}") == ("100 weeks", "100 weeks", "100.0")
    assert isinstance(weeks, float) and weeks == 100 and weeks / 2 == 50
    assert repr(gpukit.cloud.breakeven(6, 20, 0.30)) == "1 week"
    assert "never" in repr(gpukit.cloud.breakeven(600, 20, 0.0))
    assert json.loads(json.dumps(weeks)) == 100.0


def test_breakeven():
    assert cloud.breakeven(600, 20, 0.30) == pytest.approx(100)
    assert cloud.breakeven(550.4, 10, "aws-p5.48xlarge") == pytest.approx(1)
    assert cloud.breakeven(600, 20, "colab-free") == float("inf")
    assert cloud.breakeven(600, 0, 1) == float("inf")
    with pytest.raises(ValueError, match="no price of 'autodl'"):
        cloud.breakeven(600, 20, "autodl")


# ---- texts ----


@pytest.mark.parametrize("name", _STEPS)
def test_steps_are_numbered_and_end_with_gpukit(name):
    lines = cloud.steps(name).splitlines()
    assert [line.split(".")[0] for line in lines] == [str(i + 1) for i in range(len(lines))]
    assert "gpukit" in cloud.steps(name)


def test_texts_say_what_the_tutorials_say():
    assert "change runtime type" in cloud.steps("colab").lower()
    assert "K80" in cloud.steps("gcp")
    assert "p3.2xlarge" in cloud.steps("aws")
    assert "NC or ND" in cloud.steps("azure")
    assert "swap" in cloud.steps("huawei").lower()
    assert document()["as_of"] in cloud.advice("buy")
    assert "newer generation" in cloud.advice("buy")
    assert "Colab" in cloud.advice("rent")


WRONG = [
    (lambda: cloud(free_only=1), TypeError, "free_only must be"),
    (lambda: cloud(price=[1]), TypeError, "price must be a dict"),
    (lambda: cloud(price={"colab-fre": 1}), ValueError, "Did you mean 'colab-free'"),
    (lambda: cloud(price={"colab-free": -1}), ValueError, "0 or more"),
    (lambda: cloud(price={"colab-free": "1"}), TypeError, "must be a number"),
    (lambda: cloud.recommend(need_gb=float("nan")), ValueError, "need_gb must be 0 or more"),
    (lambda: cloud.recommend(hours="1"), TypeError, "hours must be a number"),
    (lambda: cloud.recommend(gpus=0), ValueError, "gpus must be 1 or more"),
    (lambda: cloud.cards(sort="fp33"), ValueError, "Did you mean 'fp32'"),
    (lambda: cloud.cards(gpu="nothing"), ValueError, "no card 'nothing'"),
    (lambda: cloud.relative("P10"), ValueError, "Did you mean 'P100'"),
    (lambda: cloud.steps("colap"), ValueError, "Did you mean 'colab'"),
    (lambda: cloud.advice("sell"), ValueError, "'buy' or 'rent'"),
    (lambda: cloud.breakeven(-1, 1, 1), ValueError, "price must be 0 or more"),
    (lambda: cloud.breakevn, AttributeError, "Did you mean 'breakeven'"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("name", [name for name in cloud.__all__ if name[0].islower()])
def test_example_runs(name):
    text = getattr(cloud, name).__doc__
    assert ">>>" in text
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0


# ---- no network, and the command line ----


def test_nothing_here_can_reach_a_network():
    used = {"socket", "ssl", "http", "urllib", "requests", "subprocess", "asyncio"}
    for path in (Path(gpukit.__file__).parent / "cloud").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not used & {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in used


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "gpukit", "cloud", *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 0, "aws-p4d.24xlarge"),
        (("--free",), 0, "colab-free"),
        (("recommend", "--need-gb", "60", "--hours", "2"), 0, "cost of 2 h"),
        (("cards", "--sort", "memory"), 0, "B200"),
        (("relative", "--to", "T4"), 0, "T4 = 1"),
        (("steps", "kaggle-free"), 0, "T4 x2"),
        (("advice", "buy"), 0, "Before you buy"),
        (("breakeven", "600", "20", "0.3"), 0, "after 100 weeks"),
        (("steps", "kagle"), 1, "Did you mean 'kaggle'"),
        (("recommen",), 2, "did you mean 'recommend'"),
    ],
)
def test_command_line(arguments, status, words):
    done = run(*arguments)
    assert done.returncode == status
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", ["--json", "cards --json", "steps aws --json"])
def test_json_is_one_document(arguments):
    assert json.loads(run(*arguments.split()).stdout)["schema"] == 1

"""The exercises with simulated cards: any size, ranges that contain their result, true logs."""

from __future__ import annotations

import importlib
import random
import re
import warnings
from itertools import pairwise

import pytest

import gpukit
from gpukit import bench
from gpukit._simulation import session
from gpukit.bench._logging import _Loop
from support.mode import PROJECT
from support.simulation import simulation

overlap_module = importlib.import_module("gpukit.bench._overlap")
LESSON = (PROJECT / "docs" / "lessons" / "02-devices-and-timing.md").read_text(encoding="utf-8")
SIZES = [
    1024,
    "1.5KiB",
    4097,
    "1MiB",
    "4MiB",
    *(random.Random(7).randrange(1024, 6 << 20) for _ in range(3)),
]


@pytest.mark.parametrize("size", SIZES)
def test_overlap_of_any_size(size):
    with simulation(1, "T4"):
        found = bench.overlap("cuda:0", size=size)
    assert len(found.rows) == 3
    for row in found.rows:
        assert row["copy"] > 0 and row["compute"] > 0, row
        assert 0 <= row["overlap"] <= 1
        assert row["both"] >= 0.99 * row["ideal"], row


def test_overlap_of_ordinary_memory_counts_the_whole_copy():
    """A thread queues it later: an event behind the call would see nothing of it."""
    with simulation(1, "T4"):
        found = {row["what"]: row for row in bench.overlap("cuda:0", size="4MiB").rows}
    pinned = found["upload, pinned"]["copy"]
    assert found["upload, ordinary memory"]["copy"] >= 0.9 * pinned


def test_overlap_of_what_no_clock_can_see_says_so(monkeypatch):
    with simulation(1, "T4"):
        monkeypatch.setattr(overlap_module._Bench, "best", lambda *_: 0.0)
        found = bench.overlap("cuda:0", size=1024)
    assert found.overlap == {}
    assert "too short" in str(found)


@pytest.mark.parametrize(
    ("exercise", "arguments", "error"),
    [
        ("overlap", {"size": 0}, ValueError),
        ("overlap", {"size": -5}, ValueError),
        ("overlap", {"size": "4 bananas"}, ValueError),
        ("overlap", {"size": True}, TypeError),
        ("overlap", {"size": 1 << 60}, (gpukit.GpukitError, MemoryError)),
        ("gil", {"size": 1023}, ValueError),
        ("gil", {"size": "1e3"}, ValueError),
        ("matmul", {"n": 0}, ValueError),
        ("logging", {"n": 0}, ValueError),
        ("logging", {"size": -1}, ValueError),
        ("batching", {"n": 0}, ValueError),
        ("scaling", {"size": 0}, ValueError),
        ("scaling", {"repeat": 0}, ValueError),
        ("bandwidth", {"sizes": []}, ValueError),
        ("bandwidth", {"sizes": [0]}, ValueError),
        ("crossover", {"lo": 0}, ValueError),
        ("crossover", {"lo": 8, "hi": 8}, ValueError),
        ("crossover", {"lo": 10_000}, ValueError),
        ("crossover", {"budget_s": 0}, ValueError),
        ("crossover", {"budget_s": float("nan")}, ValueError),
        ("crossover", {"budget_s": float("inf")}, ValueError),
        ("crossover", {"budget_s": "long"}, TypeError),
    ],
)
def test_sizes_that_are_none_are_typed_errors(exercise, arguments, error):
    with pytest.raises(error):
        getattr(bench, exercise)(device="cuda:0", **arguments) if exercise != "scaling" else (
            bench.scaling(["cuda:0"], **arguments)
        )


@pytest.mark.parametrize(
    ("exercise", "arguments"),
    [
        ("matmul", {"n": 1}),
        ("matmul", {"n": 37}),
        ("logging", {"n": 1, "size": 1}),
        ("logging", {"n": 7, "size": 33}),
        ("batching", {"n": 1, "size": 1}),
        ("batching", {"n": 3, "size": 7}),
        ("bandwidth", {"sizes": [1, 3, 4097]}),
        ("crossover", {"lo": 1, "hi": 2, "budget_s": 5}),
        ("crossover", {"op": "sum", "lo": 3, "hi": 5, "budget_s": 5}),
    ],
)
def test_odd_sizes_give_a_result(exercise, arguments):
    found = getattr(bench, exercise)(device="cuda:0", **arguments)
    assert found.simulated
    assert str(found)


def cell(text):
    """The lesson's cell that has this text."""
    return next(
        c
        for c in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", LESSON, re.DOTALL)
        if text in c
    )


def test_the_crossover_of_the_lesson_is_in_its_range():
    names = {"gpukit": gpukit}
    exec(cell("bench.crossover("), names)
    found = names["found"]
    tried = [row["n"] for row in found.rows]
    assert tried[0] < found.n_compute < found.n_total < tried[-1]
    assert not any("never" in note for note in found.notes)


@pytest.mark.parametrize("card", ["T4", "A100", "MX150"])
@pytest.mark.parametrize("lo", [2, 16, 300])
def test_the_range_grows_until_it_holds_both_sides(card, lo):
    with session.replaced(f"1x{card}"):
        found = bench.crossover("matmul", lo=lo, device="cuda:0", budget_s=60)
    rows = found.rows
    assert rows[0]["cpu"] < rows[0]["gpu"], "at the smallest size the CPU wins"
    assert rows[-1]["cpu"] > rows[-1]["gpu_total"], "at the largest the GPU does, copies and all"
    assert rows[0]["n"] < found.n_compute <= found.n_total <= rows[-1]["n"]
    assert [row["n"] for row in rows] == sorted({row["n"] for row in rows})


def test_a_search_without_time_does_not_say_never():
    found = bench.crossover("matmul", lo=2, device="cuda:0", budget_s=1e-6)
    assert len(found.rows) == 1
    assert not any("never" in note for note in found.notes)
    assert any("larger sizes were not tried" in note for note in found.notes)


def test_a_range_that_was_asked_for_is_kept_and_says_never():
    found = bench.crossover("add", lo=8, hi=32, device="cuda:0", budget_s=20)
    assert [row["n"] for row in found.rows][-1] == 32
    assert any("never wins up to n = 32" in note for note in found.notes)


def test_a_log_costs_no_more_than_a_list_and_waits_once():
    with simulation(1, "T4") as running:
        loop = _Loop(60, 32, gpukit.device("cuda:0"))
        spent = {}
        for way in (loop.by_print, loop.by_item, loop.kept, loop.by_device_log):
            way()
            gpukit.synchronize()
            before = running.clock_ms("cuda:0")
            way()
            spent[way.__name__] = running.clock_ms("cuda:0") - before
    assert spent["by_device_log"] <= spent["kept"] * 1.001
    assert spent["by_item"] > spent["by_device_log"] + 50 * 1e-3
    assert spent["by_print"] >= spent["by_item"] * 0.999


def test_the_logging_table_says_what_its_rows_mean():
    table = bench.logging(n=20, size=16, device="cuda:0")
    text = str(table)
    assert "20 times: what costs is the wait" in text
    assert "10.0 KiB" in text and "80 B" in text
    scalars = [gpukit.ones((), device="cuda:0") for _ in range(3)]
    assert {b.data_ptr() - a.data_ptr() for a, b in pairwise(scalars)} <= {
        512,
        -512,
    }, "a list keeps a block of 512 bytes for each entry"


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("policy", ["grow", "ring"])
@pytest.mark.parametrize("place", ["cpu", "cuda:0"])
def test_a_log_gives_its_values_and_memory_of_its_own(width, policy, place):
    draw = random.Random(f"{width}{policy}{place}")
    log = gpukit.DeviceLog(4, width, device=place, policy=policy)
    rows = []
    for _ in range(11):
        row = [draw.random() for _ in range(width)]
        forms = [gpukit.tensor(v, device=place) if draw.random() < 0.7 else v for v in row]
        log.append(
            *(
                t.reshape(1, 1) if isinstance(t, gpukit.Tensor) and draw.random() < 0.5 else t
                for t in forms
            )
        )
        rows.append(row if width > 1 else row[0])
    wanted = rows if policy == "grow" else rows[-4:]
    first = log.numpy()
    assert first.tolist() == pytest.approx(wanted) if width == 1 else True
    later = log.flush()
    log.append(*[9.0] * width)
    assert log.numpy()[-1].tolist() == ([9.0] * width if width > 1 else 9.0)
    assert first.tolist() == later.result().numpy().tolist()
    for got, row in zip(first.tolist(), wanted, strict=True):
        assert got == pytest.approx(row)


def test_asking_who_holds_memory_warns_of_nothing():
    x = gpukit.rand(8, 8, device="cuda:0", requires_grad=True)
    between = (x * 2).sum()
    kept = x * 3
    kept.retain_grad()
    (between + kept.sum()).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = [name for holder in gpukit.memory().holders for name in holder.names]
        gpukit.free()
    assert {"x", "kept", "between"} <= {name.split(" ")[0] for name in names}
    assert sum(name.endswith(".grad") for name in names) == 2

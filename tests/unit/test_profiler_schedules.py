"""gpukit.profiler.schedule: which steps are recorded, and what is said of bad plans."""

from __future__ import annotations

import pytest

import gpukit
from gpukit import _core
from gpukit.errors import ArgumentError, GpukitError, GpukitWarning
from gpukit.profiler import ProfilerAction, ProfilerActivity, profile, schedule
from support import trace_format

CPU = [ProfilerActivity.CPU]


def counts(p):
    return {row.key: row.count for row in p.key_averages()}


def test_a_schedule_records_cycles():
    seen = []

    def ready(p):
        seen.append((p.step_num, counts(p)))

    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(activities=CPU, schedule=plan, on_trace_ready=ready) as p:
        for number in range(9):
            gpukit.ones(number + 1)
            p.step()
    assert [number for number, _ in seen] == [4, 8]
    assert seen[0][1] == {"ProfilerStep#2": 1, "ProfilerStep#3": 1, "gpukit::ones": 2}
    assert seen[1][1] == {"ProfilerStep#6": 1, "ProfilerStep#7": 1, "gpukit::ones": 2}
    assert counts(p) == seen[1][1]
    assert not _core.is_observed()


@pytest.mark.parametrize(
    "given",
    [
        {"wait": 1, "warmup": 1, "active": 2, "repeat": 2},
        {"wait": 2, "warmup": 1, "active": 1, "repeat": 0, "skip_first": 3},
        {"wait": 5, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 4, "skip_first_wait": 1},
    ],
)
def test_the_plan_is_what_its_words_say(given):
    plan = schedule(**given)
    left = [plan(step).name for step in range(40)]
    cycle = (
        ["NONE"] * given["wait"]
        + ["WARMUP"] * given["warmup"]
        + ["RECORD"] * (given["active"] - 1)
        + ["RECORD_AND_SAVE"]
    )
    cycles = cycle * (given.get("repeat") or 40)
    if given.get("skip_first_wait"):
        cycles = cycles[given["wait"] :]
    want = ["NONE"] * given.get("skip_first", 0) + cycles + ["NONE"] * 40
    assert left == want[:40]


def test_a_cycle_that_the_end_cuts_is_kept():
    ready = []
    plan = schedule(wait=0, warmup=1, active=5)
    with profile(activities=CPU, schedule=plan, on_trace_ready=ready.append) as p:
        for _ in range(3):
            gpukit.ones(1)
            p.step()
    assert ready == [p]
    assert counts(p)["gpukit::ones"] == 2


def test_events_of_all_cycles(tmp_path):
    plan = schedule(wait=0, warmup=1, active=1)
    with profile(activities=CPU, schedule=plan, acc_events=True) as p:
        for _ in range(6):
            gpukit.ones(1)
            p.step()
    assert counts(p)["gpukit::ones"] == 3
    p.export_chrome_trace(str(tmp_path / "t.json"))
    trace_format.check(trace_format.read(tmp_path / "t.json"))


def test_a_schedule_that_stops_in_between_warns():
    def plan(step):
        return [ProfilerAction.RECORD, ProfilerAction.NONE][step]

    p = profile(activities=CPU, schedule=plan)
    p.start()
    with pytest.warns(GpukitWarning, match="goes from RECORD to NONE"):
        p.step()
    p.stop()
    with pytest.raises(GpukitError, match="nothing is recorded yet"):
        p.events()


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"wait": -1, "warmup": 1, "active": 1}, ArgumentError, "wait must be 0 or more, got -1"),
        ({"wait": 0, "warmup": 1, "active": 0}, ArgumentError, "active must be 1 or more, got 0"),
        ({"wait": 0, "warmup": 1.5, "active": 1}, TypeError, "warmup must be an int"),
    ],
)
def test_wrong_schedules(given, error, text):
    with pytest.raises(error, match=text):
        schedule(**given)


def test_a_schedule_without_warm_up_warns():
    with pytest.warns(GpukitWarning, match="warmup=0"):
        schedule(wait=0, warmup=0, active=1)

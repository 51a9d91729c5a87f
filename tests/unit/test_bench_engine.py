"""The measuring loop, with a clock whose samples are made up."""

from __future__ import annotations

import time

import pytest

import gpukit
from gpukit.bench.clock import DeviceClock, Sample
from gpukit.bench.engine import MAX_KEPT, MIN_SAMPLE_SECONDS, WARMUP_CAP, Plan, measure, warm_up
from gpukit.bench.stopping import StoppingRule


class FakeClock:
    """Gives the samples of a function of their number; notes what it was asked for."""

    generation = 0

    def __init__(self, sample):
        self._sample = sample
        self.inner = []
        self.setups = []

    def sample(self, call, inner=1, setup=None):
        if setup is not None:
            setup()
        call()
        self.inner.append(inner)
        self.setups.append(setup)
        return self._sample(len(self.inner), inner)

    def unsynchronised(self, call, setup):
        setup()
        call()
        return 9.0


def constant(wall, device=None, naive=0.0):
    return lambda number, inner: Sample(wall, device, naive)


def plan(repeats=5, **options):
    return Plan(StoppingRule(min_time=0.001, max_time=1.0, repeats=repeats), **options)


def test_short_calls_are_counted_together():
    clock = FakeClock(constant(1e-7))
    seen = measure(clock, lambda: None, plan())
    assert clock.inner[-1] * 1e-7 >= MIN_SAMPLE_SECONDS
    assert seen.time.median == 1e-7


def test_a_wait_behind_every_sample_does_not_hide_a_short_call():
    clock = FakeClock(lambda number, inner: Sample(1e-7 + 3e-5 / inner, None, 1e-7))
    measure(clock, lambda: None, plan())
    assert clock.inner[-1] >= 700


def test_long_calls_stand_alone():
    clock = FakeClock(constant(0.5))
    measure(clock, lambda: None, plan())
    assert set(clock.inner) == {1}


@pytest.mark.parametrize("options", [{"setup": lambda: None}, {"flush_l2": True}])
def test_one_call_after_each_setup_or_flush(options):
    clock = FakeClock(constant(1e-7))
    seen = measure(clock, lambda: None, plan(**options))
    assert set(clock.inner) == {1}
    assert (seen.queued == 9.0) == ("setup" in options)


def test_device_time_is_shown_where_every_sample_has_one():
    seen = measure(FakeClock(constant(3.0, device=2.0)), lambda: None, plan())
    assert (seen.time.median, seen.device, seen.wall) == (2.0, 2.0, 3.0)


def test_else_the_host_clock_is():
    def sometimes(number, inner):
        return Sample(3.0, 2.0 if number % 2 else None, 0.0)

    seen = measure(FakeClock(sometimes), lambda: None, plan(repeats=6))
    assert (seen.time.median, seen.device) == (3.0, None)


def test_first_call_is_apart():
    clock = FakeClock(lambda number, inner: Sample(100.0 if number == 1 else 1.0, None, 0.0))
    seen = measure(clock, lambda: None, plan())
    assert (seen.first_call, seen.time.median, max(seen.samples)) == (100.0, 1.0, 1.0)


def test_repeats_are_exact():
    seen = measure(FakeClock(constant(1.0)), lambda: None, plan(repeats=7))
    assert (seen.time.n, len(seen.samples)) == (7, 7)


def test_warm_up_ends_when_steady():
    falling = [9, 8, 7, 6, 5, 4, 3, 2, *[1] * 100]
    clock = FakeClock(lambda number, inner: Sample(falling[number - 1], None, 0.0))
    assert warm_up(clock, lambda: None, plan()) == 1
    assert 10 < len(clock.inner) < WARMUP_CAP


def test_samples_begin_anew_with_a_device_that_no_call_used_before():
    def sample(number, inner):
        clock.generation = int(number > 4)
        return Sample(1.0 if number > 5 else 5.0, None, 0.0)

    clock = FakeClock(sample)
    seen = measure(clock, lambda: None, plan(repeats=5, warmup=1))
    assert (seen.time.n, seen.time.min, seen.time.mean) == (5, 1.0, 1.0)


def test_warm_up_has_a_cap():
    clock = FakeClock(lambda number, inner: Sample(float(2**number), None, 0.0))
    warm_up(clock, lambda: None, plan())
    assert len(clock.inner) == WARMUP_CAP


def test_warm_up_of_a_given_length():
    clock = FakeClock(constant(1.0))
    warm_up(clock, lambda: None, plan(warmup=3))
    assert len(clock.inner) == 3


def test_many_samples_are_thinned_evenly():
    clock = FakeClock(lambda number, inner: Sample(float(number), None, 0.0))
    seen = measure(clock, lambda: None, plan(repeats=5000))
    assert seen.time.n == 5000
    assert MAX_KEPT / 2 <= len(seen.samples) <= MAX_KEPT


def test_spread_is_noted_as_noise():
    naps = iter([0.001, 0.004] * 50)
    result = gpukit.bench(lambda: time.sleep(next(naps)), name="nap", repeats=20, verbose=False)
    assert result.noisy
    assert "noisy (spread over 10 %): cpu: nap." in result.to_table().notes


def test_nothing_is_queued_where_calls_return_when_their_work_is_done():
    asked = []
    assert DeviceClock().unsynchronised(lambda: asked.append("call"), lambda: None) is None
    assert asked == []
    waiting = DeviceClock(wait=lambda answer: None)
    assert waiting.unsynchronised(lambda: asked.append("call"), lambda: None) is not None
    assert asked == ["call"]

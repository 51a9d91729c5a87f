"""Why a stopwatch without synchronise is wrong: the four reasons, from readings."""

from __future__ import annotations

import pytest

from gpukit.bench.naive import EARLIER, FIRST, LAUNCH, RESOLUTION, NaiveReading


@pytest.mark.parametrize(
    ("reading", "reason", "words"),
    [
        (NaiveReading(15.0, 0.06, 15.0), LAUNCH, "250 times as long"),
        (NaiveReading(0.01, 0.01, 0.01, queued=15.0), EARLIER, "still queued"),
        (NaiveReading(0.01, 0.009, 0.5), FIRST, "the first call takes 500 ms"),
        (NaiveReading(1e-7, 1e-7, 1e-6), RESOLUTION, "it may say 0"),
        (NaiveReading(0.01, 0.0099, 0.011), None, "a plain stopwatch agrees"),
    ],
)
def test_reasons(reading, reason, words):
    assert reading.reason == reason
    assert words in reading.sentence("f on cuda:0")


def test_the_reading_is_the_one_behind_earlier_work():
    assert NaiveReading(1.0, 0.5, 1.0, queued=3.0).seconds == 3.0
    assert NaiveReading(1.0, 0.5, 1.0).seconds == 0.5

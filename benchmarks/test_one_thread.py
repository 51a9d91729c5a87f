"""Elementwise work and a reduction on one thread of each library (alone.py)."""

from __future__ import annotations

import pytest
from alone import ONE_THREAD
from harness import alone, alone_row

# Fifteen fresh processes go before the first row.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def times():
    return alone("one thread", threads=1)


@pytest.mark.parametrize("name", ONE_THREAD)
def test_one_thread(record, times, name):
    record(alone_row("one thread", name, times[name]))

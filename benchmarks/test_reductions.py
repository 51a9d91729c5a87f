"""Reductions of large arrays, all threads, each library alone (alone.py)."""

from __future__ import annotations

import pytest
from alone import REDUCTIONS
from harness import alone, alone_row

# Fifteen fresh processes go before the first row.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def times():
    return alone("reductions")


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(record, times, name):
    record(alone_row("reductions", name, times[name]))

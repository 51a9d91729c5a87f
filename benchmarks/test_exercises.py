"""The tutorials' exercise of a thousand products and their norms, each library alone (alone.py)."""

from __future__ import annotations

import pytest
from alone import EXERCISES
from harness import alone, alone_row

# Fifteen fresh processes go before the first row.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def times():
    return alone("exercises")


@pytest.mark.parametrize("name", EXERCISES)
def test_exercise(record, times, name):
    record(alone_row("exercises", name, times[name]))

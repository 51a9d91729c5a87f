"""Elementwise functions and rows of large arrays, all threads, each library alone (alone.py)."""

from __future__ import annotations

import pytest
from alone import ELEMENTWISE
from harness import alone, alone_row

# Fifteen fresh processes go before the first row.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def times():
    return alone("elementwise")


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(record, times, name):
    record(alone_row("elementwise", name, times[name]))

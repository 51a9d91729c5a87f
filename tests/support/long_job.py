"""Counts of repetition: small ones in the plain suite, the full ones when GPUKIT_TEST_LONG=1."""

from __future__ import annotations

import os

LONG = os.environ.get("GPUKIT_TEST_LONG", "") == "1"


def repeat(count: int, *, long: int) -> int:
    """How often: `count`, or `long` in a long job."""
    return long if LONG else count

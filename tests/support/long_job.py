"""Counts of repetition: small in the plain suite, full when GPUKIT_TEST_LONG is set."""

from __future__ import annotations

from support.mode import LONG_RUN


def repeat(count: int, *, long: int) -> int:
    """How often: `count`, or `long` in a long job."""
    return long if LONG_RUN else count

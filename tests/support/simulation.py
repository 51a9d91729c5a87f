"""A simulation of a test's own, in place of the one that the run stands on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gpukit
from gpukit._simulation import session


@contextmanager
def no_simulation() -> Iterator[None]:
    """End the run's simulation, if there is one; afterwards it begins anew."""
    own = session._active
    if own is None:
        yield
        return
    own.stop()
    try:
        yield
    finally:
        session._start(own.text)


@contextmanager
def simulation(n: int = 2, card: str = "T4", **settings: Any) -> Iterator[gpukit.Simulation]:
    """Run a simulation with these settings; afterwards the run's own begins anew."""
    gpukit.cuda.init()
    assert session._active is not None, "GPUKIT_TEST_MODE=sim starts a simulation for the run"
    with no_simulation(), gpukit.simulate(n, card, **settings) as running:
        yield running

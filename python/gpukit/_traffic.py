"""What operations between ranks tell of: their bytes and times, for the log and gpukit.watch."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from gpukit import _env


class Operation(NamedTuple):
    """One that has ended on this rank."""

    description: str  # "all_reduce(sum) of float32 (1000,)"
    bytes: int  # of this rank's tensor
    wait_seconds: float  # until all ranks had come to it
    move_seconds: float  # from then on


class Wait(NamedTuple):
    """A thread of the user waited for other ranks."""

    description: str
    bytes: int
    seconds: float


_on_operations: list[Callable[[Operation], None]] = []
_on_waits: list[Callable[[Wait], None]] = []


def observe(
    operations: Callable[[Operation], None] | None = None,
    waits: Callable[[Wait], None] | None = None,
) -> Callable[[], None]:
    """Call functions from now on, each on the thread where it happens; the result ends it."""
    pairs = [(_on_operations, operations), (_on_waits, waits)]
    for observers, function in pairs:
        if function is not None:
            observers.append(function)  # type: ignore[attr-defined]

    def end() -> None:
        for observers, function in pairs:
            if function in observers:  # type: ignore[operator]
                observers.remove(function)  # type: ignore[attr-defined]

    return end


def ended(operation: Operation) -> None:
    """Log an operation and tell of it."""
    if _env.text("GPUKIT_LOG") == "debug":
        sys.stderr.write(f"gpukit debug: {_line(operation)}\n")
    for function in tuple(_on_operations):
        function(operation)


@contextmanager
def timed(description: str, size: int) -> Iterator[None]:
    """Tell of a wait: of what is done inside."""
    started = time.perf_counter()
    try:
        yield
    finally:
        wait = Wait(description, size, time.perf_counter() - started)
        for function in tuple(_on_waits):
            function(wait)


def _line(operation: Operation) -> str:
    return (
        f"{operation.description}: {operation.bytes} bytes; all ranks came to it after "
        f"{1e3 * operation.wait_seconds:.3f} ms, moved in {1e3 * operation.move_seconds:.3f} ms"
    )

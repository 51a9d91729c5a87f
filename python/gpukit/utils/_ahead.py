"""Batches that a thread prepares ahead."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any


class _Failure:
    """An exception on its way to the thread that asked."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


def ahead(batches: Iterator[Any], depth: int) -> Iterator[Any]:
    """The same batches, made by a thread that is up to `depth` of them ahead."""
    ready: queue.Queue[Any] = queue.Queue(depth)
    stopped = threading.Event()
    worker = threading.Thread(
        target=_prepare, args=(batches, ready, stopped), name="gpukit-data", daemon=True
    )
    worker.start()
    try:
        while (batch := ready.get()) is not _END:
            if isinstance(batch, _Failure):
                raise batch.error
            yield batch
    finally:
        stopped.set()
        while not ready.empty():  # lets a worker that waits for room see that it is over
            ready.get_nowait()
        worker.join()


def _prepare(batches: Iterator[Any], ready: queue.Queue[Any], stopped: threading.Event) -> None:
    try:
        for batch in batches:
            if not _put(batch, ready, stopped):
                return
        _put(_END, ready, stopped)
    except BaseException as error:  # raised again by the thread that asked
        _put(_Failure(error), ready, stopped)


def _put(item: Any, ready: queue.Queue[Any], stopped: threading.Event) -> bool:
    """Wait for room. False if the consumer has stopped."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=0.05)
        except queue.Full:
            continue
        return True
    return False

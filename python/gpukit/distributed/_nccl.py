"""Operations on GPUs by NCCL: MPI carries the unique id, and the agreement before each of them.

NCCL itself would wait without end for a rank that does something else, has ended or never comes. So
every operation is agreed upon first, queued on a stream, and watched until the GPU has done it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._device import driver_fault, num_gpus
from gpukit._system.nccl_library import TYPES, Library, library
from gpukit.errors import DistributedError, GpukitError

Tensor = _core.Tensor
_SPINS = 200  # questions before the first sleep
_LONGEST = 0.001  # seconds between two
_ROOM = 300  # bytes of what a rank tells of its fault


def fault() -> str:
    """Why this process cannot use NCCL; "" where it can."""
    if num_gpus() == 0:
        return f"there is no usable GPU: {driver_fault().text or 'none was found'}"
    try:
        library()
    except GpukitError as error:
        return str(error)
    return ""


def check_all(mpi: Any, comm: Any) -> None:
    """DistributedError on every rank where one of them cannot use NCCL."""
    mine = fault().encode()[:_ROOM].ljust(_ROOM)
    told = bytearray(_ROOM * comm.Get_size())
    comm.Allgather([mine, mpi.BYTE], [told, mpi.BYTE])
    faults = [
        bytes(told[start : start + _ROOM]).decode(errors="replace").strip()
        for start in range(0, len(told), _ROOM)
    ]
    if any(faults):
        lines = "; ".join(f"rank {rank}: {text}" for rank, text in enumerate(faults) if text)
        raise DistributedError(
            f"init_process_group: backend 'nccl' needs NCCL and a GPU on every rank. {lines}. "
            "Use backend 'mpi', which carries tensors of CPUs and of GPUs",
            details={"ranks": [rank for rank, text in enumerate(faults) if text]},
        )


class Communicators:
    """One group's: one for each of this rank's GPUs that took part in an operation."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel  # a Channel, whose module imports this one
        self._made: dict[tuple[int, int], Any] = {}
        self._streams: dict[tuple[int, int], _core.Stream] = {}

    def note(self, tensor: Tensor) -> str:
        """What the ranks compare besides the description: how the tensor will travel."""
        if not tensor.is_cuda:
            return f" on {tensor.device.type}"
        return " on cuda" if self._key(tensor) in self._made else " on cuda, first of its GPU"

    def stream_behind(self, tensor: Tensor) -> Callable[[], _core.Stream]:
        """The stream of operations in the background, once it waits for what is queued now."""
        ready = _core.current_stream(tensor.device).record_event()
        key = self._key(tensor)

        def own() -> _core.Stream:
            if key not in self._streams:
                self._streams[key] = _core.Stream(tensor.device)
            self._streams[key].wait_event(ready)
            return self._streams[key]

        return own

    def call(self, function: str, x: Tensor, y: Tensor | None, *more: int) -> None:
        """An operation from x to y on the current stream; returns when the GPU has done it.

        `more` is what follows the dtype, up to the communicator; y is None where this rank receives
        nothing.
        """
        library, communicator = self._communicator(x)
        elements = x.numel() if y is None else min(x.numel(), y.numel())
        if elements == 0:
            return
        target = None if y is None else y.data_ptr()
        stream = _core.current_stream(x.device)
        code = TYPES[x.dtype.name]
        arguments = (x.data_ptr(), target, elements, code, *more, communicator)
        try:
            library.call(function, *arguments, stream.cuda_stream)
        except GpukitError as error:  # the others may wait for this rank
            self._give_up(library, str(error))
        if y is not None:
            _core.increment_version(y)
        self._await(library, communicator, function, stream)

    @staticmethod
    def _key(tensor: Tensor) -> tuple[int, int]:
        return _core.session_id(), tensor.device.index or 0

    def _communicator(self, tensor: Tensor) -> tuple[Library, Any]:
        found, key = library(), self._key(tensor)
        if key not in self._made:
            channel = self._channel
            identity, failure = bytearray(128), None
            if channel.rank == 0:
                try:
                    identity[:] = found.unique_id()
                except GpukitError as error:
                    failure = error
            channel.data.Bcast([identity, channel.mpi.BYTE], 0)
            if failure is not None:
                raise failure
            if not any(identity):
                raise DistributedError("nccl: rank 0 of the group could not make a unique id")
            made = found.join(bytes(identity), channel.size, channel.rank, key[1])
            self._made[key] = made
        return found, self._made[key]

    def _await(
        self, library: Library, communicator: Any, function: str, stream: _core.Stream
    ) -> None:
        event = stream.record_event()
        for _ in range(_SPINS):
            if event.query():
                break
            os.sched_yield()
        end, pause = time.monotonic() + self._channel.timeout, 5e-5
        while not event.query():
            if failure := library.error_of(communicator):
                self._give_up(library, f"{function}: {failure}")
            if time.monotonic() > end:
                seconds = self._channel.timeout
                self._give_up(
                    library,
                    f"{function}: the GPUs did not end it within {seconds:g} s, so one of them "
                    "hangs. init_process_group(timeout=...) sets the time",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST)
        if failure := library.error_of(communicator):
            self._give_up(library, f"{function}: {failure}")

    def _give_up(self, library: Library, text: str) -> None:
        """End what the GPU still waits for; the group cannot be used any more."""
        for each in self._made.values():
            library.abort(each)
        self._made = {}
        self._channel.broken = DistributedError(text)
        raise self._channel.broken

    def close(self) -> None:
        """Release the communicators; nothing is under way."""
        session, made = _core.session_id(), self._made
        self._made, self._streams = {}, {}
        for key, each in made.items():
            if key[0] == session:
                library().leave(each)

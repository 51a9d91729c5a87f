"""Operations on GPUs by NCCL: MPI carries the unique id, and the agreement before each of them.

NCCL itself would wait without end for a rank that does something else, has ended or never comes. So
every operation is agreed upon first, queued on a stream, and watched until the GPU has done it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

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
        self.lanes: dict[tuple[int, bool], Lane] = {}  # of a rank, whether it sends: messages

    def note(self, tensor: Tensor) -> str:
        """What the ranks compare besides the description: how the tensor will travel."""
        if not tensor.is_cuda:
            return f" on {tensor.device.type}"
        return " on cuda" if self.key_of(tensor) in self._made else " on cuda, first of its GPU"

    def stream_behind(self, tensor: Tensor) -> Callable[[], _core.Stream]:
        """The stream of operations in the background, once it waits for what is queued now."""
        ready = _core.current_stream(tensor.device).record_event()
        key = self.key_of(tensor)

        def own() -> _core.Stream:
            if key not in self._streams:
                self._streams[key] = _core.Stream(tensor.device)
            self._streams[key].wait_event(ready)
            return self._streams[key]

        return own

    def lane(self, peer: int, *, sends: bool) -> Lane:
        """What carries messages to a rank, or from it."""
        return self.lanes.setdefault((peer, sends), Lane(self, sends=sends))

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
            self.give_up(library, str(error))
        if y is not None:
            _core.increment_version(y)
        self.await_stream(library, communicator, function, stream)

    @staticmethod
    def key_of(tensor: Tensor) -> tuple[int, int]:
        """The simulation, or 0, and the GPU: a communicator belongs to both."""
        return _core.session_id(), tensor.device.index or 0

    def _communicator(self, tensor: Tensor) -> tuple[Library, Any]:
        found, key = library(), self.key_of(tensor)
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
            self._made[key] = self.join(bytes(identity), channel.size, channel.rank, key[1])
        return found, self._made[key]

    def join(self, identity: bytes, ranks: int, rank: int, device: int) -> Any:
        """A communicator, once all its ranks have come; NCCL alone would wait without end."""
        found, made, seconds = library(), _Joining(), self._channel.timeout
        made.start(lambda: found.join(identity, ranks, rank, device))
        if not made.done.wait(seconds):
            self.give_up(
                found,
                f"ncclCommInitRank: the other ranks did not join within {seconds:g} s. "
                "init_process_group(timeout=...) sets the time",
            )
        if made.error is not None:
            self.give_up(found, str(made.error))
        return made.communicator

    def await_stream(
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
                self.give_up(library, f"{function}: {failure}")
            if time.monotonic() > end:
                seconds = self._channel.timeout
                self.give_up(
                    library,
                    f"{function}: the GPUs did not end it within {seconds:g} s, so one of them "
                    "hangs. init_process_group(timeout=...) sets the time",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST)
        if failure := library.error_of(communicator):
            self.give_up(library, f"{function}: {failure}")

    def give_up(self, library: Library, text: str) -> NoReturn:
        """End what the GPU still waits for; the group cannot be used any more."""
        made, self._made = [*self._made.values()], {}
        lanes, self.lanes = [*self.lanes.values()], {}
        for each in [*made, *(lane.communicator for lane in lanes if lane.key is not None)]:
            library.abort(each)
        self._channel.broken = DistributedError(text)
        raise self._channel.broken

    def close(self) -> None:
        """Release the communicators; nothing is under way."""
        session, made = _core.session_id(), self._made
        lanes, self.lanes = [*self.lanes.values()], {}
        self._made, self._streams = {}, {}
        for key, each in made.items():
            if key[0] == session:
                library().leave(each)
        for lane in lanes:
            lane.leave()


class _Joining:
    """A call of ncclCommInitRank in a thread, which may never return."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.communicator: Any = None
        self.error: BaseException | None = None

    def start(self, join: Callable[[], Any]) -> None:
        """Begin."""

        def call() -> None:
            try:
                self.communicator = join()
            except BaseException as error:  # told by the caller's thread
                self.error = error
            self.done.set()

        threading.Thread(target=call, name="gpukit-nccl-joins", daemon=True).start()


class Lane:
    """Messages to one rank, or from it: a communicator of the two, one message at a time.

    Each direction has its own, so that two ranks that send to each other do not wait in one queue.
    The receiver decides when a new one is needed, and tells the sender.
    """

    def __init__(self, owner: Communicators, *, sends: bool) -> None:
        self._owner = owner
        self._sends = sends
        self.turn = threading.Lock()  # of receivers: the sender moves what they have agreed to
        self.communicator: Any = None
        self.key: Any = None  # what the communicator was made for
        self._stream: _core.Stream | None = None

    def fits(self, key: Any) -> bool:
        """Whether the communicator is of these sessions and GPUs."""
        return bool(self.key == key)

    def renew(self, identity: bytes, device: int, key: Any) -> None:
        """Replace the communicator: the sender is its rank 0."""
        self.leave()
        self.communicator = self._owner.join(identity, 2, 0 if self._sends else 1, device)
        self.key, self._stream = key, None

    def move(self, tensor: Tensor, ready: _core.Event) -> None:
        """A contiguous tensor to the other rank, or from it, once the GPU has come to `ready`."""
        if tensor.numel() == 0:
            return
        found, function = library(), "ncclSend" if self._sends else "ncclRecv"
        if self._stream is None:
            self._stream = _core.Stream(tensor.device)
        self._stream.wait_event(ready)
        code, stream = TYPES[tensor.dtype.name], self._stream.cuda_stream
        peer = 1 if self._sends else 0
        arguments = (tensor.data_ptr(), tensor.numel(), code, peer, self.communicator, stream)
        try:
            found.call(function, *arguments)
        except GpukitError as error:  # the other may wait for this rank
            self._owner.give_up(found, str(error))
        self._owner.await_stream(found, self.communicator, function, self._stream)

    def leave(self) -> None:
        """Release the communicator; a session that ended has taken it along."""
        if self.key is not None and self.key[0] == _core.session_id():
            library().leave(self.communicator)
        self.communicator = self.key = self._stream = None

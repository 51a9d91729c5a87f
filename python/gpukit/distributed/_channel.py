"""A group's operations in one order on every rank, each agreed upon before bytes move.

Every operation begins with an exchange of its description (name, dtype, shape, …). Where the ranks
differ, every one of them raises, and no rank waits for bytes that do not come. The exchange polls,
so that it can be given up when a rank has left or the time is over; the transfer itself, which all
ranks have then begun, waits inside MPI without Python's lock. In the group's thread reductions poll
too (MPI's non-blocking ones), so that ranks on few cores go on computing meanwhile.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gpukit import _core, _traffic
from gpukit.distributed._nccl import Communicators
from gpukit.distributed._work import Work
from gpukit.errors import DistributedError

Tensor = _core.Tensor
RECORD = 160  # bytes of a description
_SPINS = 2000  # tests of a request before the first sleep: about a millisecond
_MAX_SLEEP = 0.002
_ALONE_BYTES = 256 << 10  # a gradient from here on is not copied beside others to travel with them
_SLEEP_IN_TRANSFER = 5e-5  # MPI moves bytes only while it is asked
_ARRIVAL, _VERDICT = 1, 2  # tags of the barrier that names who is missing
_GRACE = 1.0  # seconds for what a rank sent before it left


class Channel:
    """One group's communicators and its order of operations."""

    def __init__(self, mpi: Any, comm: Any, farewell: Any, ranks: Sequence[int], timeout: float):
        self.mpi = mpi
        self.data = comm
        self.control = comm.Dup()
        self.headers = comm.Dup()  # of single tensors
        self.payload = comm.Dup()  # and their bytes
        self.farewell = farewell  # of all ranks: who leaves says so there
        self.ranks = tuple(ranks)
        self.rank = int(comm.Get_rank())
        self.size = int(comm.Get_size())
        self.timeout = timeout
        self.broken: DistributedError | None = None
        self._spins = int(getattr(mpi, "spins", _SPINS))
        self.alone_bytes = int(getattr(mpi, "alone_bytes", _ALONE_BYTES))
        self.nccl: Communicators | None = None  # that carry what is on GPUs
        self.polls = False  # the operation under way uses MPI's non-blocking form, on every rank
        self._given_up_on: list[Any] = []  # requests whose buffers MPI may still write
        self._sent: dict[int, int] = {}
        self._turn = threading.Condition()
        self._tickets = 0
        self._serving = 0
        self._jobs: queue.SimpleQueue[tuple[int, Callable[[], None], Work] | None] | None = None

    # ---- order ----

    def run(
        self, description: str, transfer: Callable[[], None], tensors: Sequence[Tensor] = ()
    ) -> None:
        """The operation on tensors, here and now, after all that were begun before it."""
        with _traffic.timed(description, _bytes_of(tensors)):
            call = partial(self._agreed, description, transfer, tensors, in_background=False)
            self._in_turn(self._ticket(), call)

    def begin(
        self, description: str, transfer: Callable[[], None], tensors: Sequence[Tensor] = ()
    ) -> Work:
        """The operation in the group's thread."""
        work = Work(description, _bytes_of(tensors))
        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            name = "gpukit-distributed"
            threading.Thread(target=self._work, args=(self._jobs,), name=name, daemon=True).start()
        call = partial(self._agreed, description, transfer, tensors, in_background=True)
        self._jobs.put((self._ticket(), call, work))
        return work

    def _work(self, jobs: queue.SimpleQueue[Any]) -> None:
        while (job := jobs.get()) is not None:
            ticket, call, work = job
            try:
                self._in_turn(ticket, call)
            except BaseException as error:  # raised by wait()
                work.finish(error)
            else:
                work.finish()

    def _ticket(self) -> int:
        with self._turn:
            self._tickets += 1
            return self._tickets - 1

    def _in_turn(self, ticket: int, call: Callable[[], None]) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._serving == ticket)
        try:
            call()
        finally:
            with self._turn:
                self._serving += 1
                self._turn.notify_all()

    def next_number(self, peer: int) -> int:
        """How many tensors went to this rank before."""
        with self._turn:
            self._sent[peer] = self._sent.get(peer, -1) + 1
            return self._sent[peer]

    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self._serving == self._tickets

    def close(self) -> None:
        """Accepts no more operations; the thread ends."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None
        if self.nccl is not None and self.broken is None and self.idle():
            self.nccl.close()

    # ---- a barrier that names who is missing ----

    def monitored(self, seconds: float, *, lists_all: bool) -> None:
        """Wait for all ranks, so long; the first rank sees who came, and tells the others."""
        call = self._await_others if self.rank == 0 else self._await_first

        def wait() -> None:
            if self.broken is not None:  # perhaps by an operation that was queued before
                raise self._unusable("monitored_barrier")
            call(seconds, lists_all=lists_all)

        self._in_turn(self._ticket(), wait)

    def _await_others(self, seconds: float, *, lists_all: bool) -> None:
        byte = self.mpi.BYTE
        waiting = {
            rank: self.control.Irecv([bytearray(1), byte], source=rank, tag=_ARRIVAL)
            for rank in range(1, self.size)
        }
        came = []
        end, pause = time.monotonic() + seconds, 5e-5
        while waiting and time.monotonic() < end:
            here = [rank for rank, request in waiting.items() if request.Test()]
            came += here
            for rank in here:
                del waiting[rank]
            if waiting and self._first_departed() is not None:
                end = min(end, time.monotonic() + _GRACE)
            time.sleep(pause)
            pause = min(pause * 1.5, _MAX_SLEEP)
        missing = [self.ranks[rank] for rank in waiting]
        told = self._missing_text(missing if lists_all else missing[:1], seconds) if missing else ""
        self._given_up_on += waiting.values()
        for rank in came:
            record = told.encode()[:RECORD].ljust(RECORD)
            self.control.Send([record, byte], dest=rank, tag=_VERDICT)
        self._judge(told)

    def _await_first(self, seconds: float, *, lists_all: bool) -> None:
        del lists_all
        byte, record = self.mpi.BYTE, bytearray(RECORD)
        verdict = self.control.Irecv([record, byte], source=0, tag=_VERDICT)
        self.control.Isend([b"\0", byte], dest=0, tag=_ARRIVAL)
        end, pause = time.monotonic() + seconds + _GRACE, 5e-5
        while not verdict.Test():
            if self._first_departed() is not None:  # the first rank tells, unless it is the one
                end = min(end, time.monotonic() + 2 * _GRACE)
            if time.monotonic() > end:
                self._given_up_on.append(verdict)
                self._judge(self._missing_text([self.ranks[0]], seconds))
            time.sleep(pause)
            pause = min(pause * 1.5, _MAX_SLEEP)
        self._judge(record.decode(errors="replace").strip())

    @staticmethod
    def _missing_text(ranks: list[int], seconds: float) -> str:
        names = ", ".join(map(str, ranks))
        return f"monitored_barrier: no call within {seconds:g} s by rank {names}"

    def _judge(self, told: str) -> None:
        if told:
            self.broken = DistributedError(f"{told}. Every rank must make the same calls")
            raise self.broken

    # ---- agreement ----

    def _agreed(
        self,
        description: str,
        transfer: Callable[[], None],
        tensors: Sequence[Tensor],
        *,
        in_background: bool,
    ) -> None:
        if self.broken is not None:
            raise self._unusable(_name(description))
        started = time.perf_counter()
        how = "" if self.nccl is None or not tensors else self.nccl.note(tensors[0])
        self.polls = self.agree(description + how, in_background)
        agreed = time.perf_counter()
        transfer()
        moved = time.perf_counter() - agreed
        size = _bytes_of(tensors)
        _traffic.ended(_traffic.Operation(description, size, agreed - started, moved))

    def _unusable(self, name: str) -> DistributedError:
        return DistributedError(
            f"{name}: the group cannot be used after an earlier error: {self.broken}"
        )

    def finish_transfer(self, request: Any, description: str) -> None:
        """Drive a transfer in the group's thread, leaving the core to others in between."""
        try:
            self.await_request(request, description, longest=_SLEEP_IN_TRANSFER)
        except DistributedError:
            self._given_up_on.append(request)
            raise

    def agree(self, description: str, in_background: bool) -> bool:
        """Wait for all ranks, and compare what they are about to do.

        True where one of them does it in the background: MPI's blocking operations do not match
        its non-blocking ones, so all ranks take the same.
        """
        mine = description.encode()[:RECORD].ljust(RECORD) + (b"i" if in_background else b"b")
        table = bytearray(len(mine) * self.size)
        byte = self.mpi.BYTE
        request = self.control.Iallgather([mine, byte], [table, byte])
        self.await_request(request, description)
        if table == mine * self.size:
            return in_background
        told = [bytes(table[start : start + RECORD]) for start in range(0, len(table), len(mine))]
        if told != [mine[:RECORD]] * self.size:
            raise self._mismatch(
                description, [text.decode(errors="replace").strip() for text in told]
            )
        return True

    def _mismatch(self, description: str, told: list[str]) -> DistributedError:
        lines = "; ".join(f"rank {self.ranks[i]}: {text}" for i, text in enumerate(told))
        return DistributedError(
            f"{_name(description)}: the ranks do not call the same operation with the same "
            f"dtype and shape. {lines}",
            details={"calls": dict(zip(self.ranks, told, strict=True))},
        )

    def await_request(
        self,
        request: Any,
        description: str,
        status: Any = None,
        longest: float = _MAX_SLEEP,
    ) -> None:
        """Poll a request; give up when time is over or a rank of the group has left."""
        for _ in range(self._spins):
            if request.Test(status):
                return
            os.sched_yield()  # to the rank that is waited for, where cores are few
        end, pause, left = time.monotonic() + self.timeout, 5e-5, None
        while not request.Test(status):
            time.sleep(pause)
            pause = min(pause * 1.5, longest)
            if left is None and (left := self._first_departed()) is not None:
                end = min(end, time.monotonic() + _GRACE)
            if time.monotonic() > end:
                self.broken = self._wait_error(description, left)
                raise self.broken

    def _first_departed(self) -> int | None:
        status = self.mpi.Status()
        for rank in self.ranks:
            if self.farewell.Iprobe(source=rank, status=status):
                return rank
        return None

    def _wait_error(self, description: str, left: int | None) -> DistributedError:
        if left is None:
            return DistributedError(
                f"{description}: the other ranks did not come to it within {self.timeout:g} s. "
                "Every rank must make the same calls in the same order; "
                "init_process_group(timeout=...) sets the time"
            )
        return DistributedError(
            f"{description}: rank {left} has ended or called destroy_process_group, so it will not "
            "take part. Every rank must make the same calls; with data of uneven length use "
            "DistributedSampler, drop_last=True, or DistributedDataParallel.join()",
            details={"rank": left},
        )


def _bytes_of(tensors: Sequence[Tensor]) -> int:
    return sum(each.nbytes for each in tensors)


def _name(description: str) -> str:
    """The operation's name: the text before its arguments."""
    return description.partition("(")[0]

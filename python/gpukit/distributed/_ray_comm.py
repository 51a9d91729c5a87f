"""Ranks in Ray's actors and tasks: the part of mpi4py that a group uses, over Ray's store.

A group's order, agreement and time limits are those of Channel, whichever carries the bytes.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pickle import PickleBuffer
from typing import Any

import ray
from ray.exceptions import RayError

from gpukit import _core
from gpukit.errors import DistributedError

_INLINE = 64 << 10  # bytes: larger ones go to Ray's store
_GRACE = 2.0  # seconds for what a rank has sent before it ended
_LOOK = 0.2

_DTYPES = {
    "FLOAT": "float32",
    "DOUBLE": "float64",
    **{f"{s.upper()}INT{b}_T": f"{s}int{b}" for s in ("", "u") for b in (8, 16, 32, 64)},
}
_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "SUM": lambda x, y: x.add_(y),
    "PROD": lambda x, y: x.mul_(y),
    "MAX": lambda x, y: x.copy_(_core.maximum(x, y)),
    "MIN": lambda x, y: x.copy_(_core.minimum(x, y)),
    "BAND": lambda x, y: x.copy_(x & y),
    "BOR": lambda x, y: x.copy_(x | y),
    "BXOR": lambda x, y: x.copy_(x ^ y),
}


class Status:
    """Where a message came from."""

    source = -1

    def Get_source(self) -> int:  # noqa: N802 (mpi4py's name)
        """The sender's rank."""
        return self.source


class Names:
    """What stands for the module mpi4py.MPI: names of dtypes and operations."""

    Status = Status
    ANY_SOURCE = None
    IN_PLACE = None
    BYTE = "BYTE"
    UNDEFINED = -1
    spins = 1  # a question to Ray costs more than one to MPI
    alone_bytes = 2 << 20  # and so does an operation

    def __getattr__(self, name: str) -> str:
        if name in _DTYPES or name in _CALLS:
            return name
        raise AttributeError(name)


class Link:
    """This process at the board: of one group of ranks."""

    def __init__(self, board: Any, rank: int, size: int, generation: int) -> None:
        self.board, self.rank, self.size, self.generation = board, rank, size, generation
        self._gone: list[int] = []
        self._news = board.departures.remote(generation, 0)

    def gone(self) -> list[int]:
        """The ranks that have left or died, as far as the board knows."""
        try:
            if ray.wait([self._news], timeout=0)[0]:
                self._gone = ray.get(self._news)
                self._news = self.board.departures.remote(self.generation, len(self._gone))
        except RayError:  # the board has ended, and with it rank 0
            self._gone = [*range(self.size)]
        return self._gone

    def leave(self) -> None:
        """Say so to the others."""
        with suppress(RayError):  # there is nobody to tell
            ray.wait([self.board.leave.remote(self.rank, self.generation)], timeout=5)


class Request:
    """An answer of the board that is waited for, and what to do with it."""

    def __init__(self, answer: Any, finish: Callable[[Any, Any], None]) -> None:
        self._answer, self._finish, self._done = answer, finish, False

    def Test(self, status: Status | None = None) -> bool:  # noqa: N802
        """Whether it has come."""
        if not self._done and ray.wait([self._answer], timeout=0)[0]:
            self._finish(_value(self._answer), status)
            self._done = True
        return self._done


def _value(answer: Any) -> Any:
    try:
        return ray.get(answer)
    except RayError as error:
        raise DistributedError(f"Ray did not carry an operation of the ranks: {error}") from error


def _packed(buffer: Any) -> Any:
    """A buffer's bytes; in a list the reference to them, which the board does not resolve."""
    view = memoryview(buffer).cast("B")
    return bytes(view) if len(view) <= _INLINE else [ray.put(PickleBuffer(view))]


def _unpacked(payload: Any) -> memoryview:
    return memoryview(payload if isinstance(payload, bytes) else _value(payload[0])).cast("B")


def _view(specification: Any) -> memoryview:
    return memoryview(specification[0]).cast("B")


class Comm:
    """Some of the ranks, and operations between them: mpi4py's names and arguments."""

    def __init__(self, link: Link, name: str, ranks: Sequence[int]) -> None:
        self._link, self._name, self._ranks = link, name, tuple(ranks)
        self._rank = self._ranks.index(link.rank)
        self._calls = self._copies = 0

    # ---- groups ----

    def Get_rank(self) -> int:  # noqa: N802
        """This process's number."""
        return self._rank

    def Get_size(self) -> int:  # noqa: N802
        """How many ranks."""
        return len(self._ranks)

    def Dup(self) -> Comm:  # noqa: N802
        """The same ranks, with messages of their own."""
        self._copies += 1
        return Comm(self._link, f"{self._name}.{self._copies}", self._ranks)

    def Split(self, color: int, key: int) -> Comm | None:  # noqa: N802
        """The ranks of one colour."""
        del key  # the order stays
        told = [int(bytes(each)) for each in self._all(str(color).encode())]
        self._copies += 1
        if color == Names.UNDEFINED:
            return None
        ranks = [rank for rank, each in zip(self._ranks, told, strict=True) if each == color]
        return Comm(self._link, f"{self._name}.{self._copies}c{color}", ranks)

    # ---- operations of all ranks ----

    def _begin(self, buffer: Any) -> Any:
        self._calls += 1
        key, link = f"{self._name}:{self._calls}", self._link
        return link.board.exchange.remote(
            link.generation, key, self._rank, len(self._ranks), _packed(buffer)
        )

    def _all(self, buffer: Any) -> list[memoryview]:
        """Every rank's bytes."""
        return [_unpacked(each) for each in self._settled(self._begin(buffer))]

    def _settled(self, answer: Any) -> Any:
        """The board's answer; the ranks have agreed, so only a rank that died can be missing."""
        end = None
        while not ray.wait([answer], timeout=_LOOK)[0]:
            gone = [rank for rank in self._link.gone() if rank in self._ranks]
            if gone and end is None:
                end = time.monotonic() + _GRACE
            if end is not None and time.monotonic() > end:
                raise DistributedError(
                    f"rank {gone[0]} has ended in the middle of an operation of all ranks",
                    details={"rank": gone[0]},
                )
        return _value(answer)

    def Iallgather(self, sent: Any, received: Any) -> Request:  # noqa: N802
        """Begin to give every rank all ranks' bytes."""
        into = _view(received)

        def finish(payloads: Any, _: Any) -> None:
            into[:] = b"".join(_unpacked(each) for each in payloads)

        return Request(self._begin(_view(sent)), finish)

    def Allgather(self, sent: Any, received: Any) -> None:  # noqa: N802
        """Give every rank all ranks' bytes."""
        into, at = _view(received), 0
        for each in self._all(_view(sent)):
            into[at : at + len(each)] = each
            at += len(each)

    def Bcast(self, buffer: Any, root: int) -> None:  # noqa: N802
        """Give every rank the root's bytes."""
        view = _view(buffer)
        parts = self._all(view if self._rank == root else b"")
        if self._rank != root:
            view[:] = parts[root]

    def Gather(self, sent: Any, received: Any, root: int) -> None:  # noqa: N802
        """Give the root all ranks' bytes."""
        del root
        parts = self._all(_view(sent))
        if received is not None:
            _view(received)[:] = b"".join(parts)

    def Scatter(self, sent: Any, received: Any, root: int) -> None:  # noqa: N802
        """Give every rank its part of the root's bytes."""
        whole = self._all(b"" if sent is None else _view(sent))[root]
        into = _view(received)
        into[:] = whole[self._rank * len(into) : (self._rank + 1) * len(into)]

    def Alltoall(self, sent: Any, received: Any) -> None:  # noqa: N802
        """Give every rank its part of all ranks' bytes."""
        into = _view(received)
        part = len(into) // len(self._ranks)
        for rank, each in enumerate(self._all(_view(sent))):
            start = self._rank * part
            into[rank * part : (rank + 1) * part] = each[start : start + part]

    def Alltoallv(self, sent: Any, received: Any) -> None:  # noqa: N802
        """As Alltoall, of parts of different sizes."""
        counts = [
            struct.unpack(f"{len(self._ranks)}q", each)
            for each in self._all(struct.pack(f"{len(self._ranks)}q", *sent[1]))
        ]
        into, at = _view(received), 0
        for given, each in zip(counts, self._all(_view(sent)), strict=True):
            start, size = sum(given[: self._rank]), given[self._rank]
            into[at : at + size] = each[start : start + size]
            at += size

    def Allreduce(self, _: Any, buffer: Any, op: str) -> None:  # noqa: N802
        """Give every rank the sum, or another `op`, of all."""
        _store(buffer, _folded(self._all(_view(buffer)), buffer[1], op))

    def Iallreduce(self, _: Any, buffer: Any, op: str) -> Request:  # noqa: N802
        """Begin that."""

        def finish(payloads: Any, _: Any) -> None:
            _store(buffer, _folded([_unpacked(each) for each in payloads], buffer[1], op))

        return Request(self._begin(_view(buffer)), finish)

    def Reduce(self, sent: Any, received: Any, op: str, root: int) -> None:  # noqa: N802
        """Give the root the sum."""
        own = received if sent is Names.IN_PLACE else sent
        parts = self._all(_view(own))
        if self._rank == root:
            _store(received, _folded(parts, received[1], op))

    def Reduce_scatter_block(self, sent: Any, received: Any, op: str) -> None:  # noqa: N802
        """Give every rank its part of the sum."""
        total = _folded(self._all(_view(sent)), sent[1], op).reshape(len(self._ranks), -1)
        _store(received, total[self._rank])

    # ---- messages ----

    def Isend(self, buffer: Any, dest: int, tag: int = 0) -> Request:  # noqa: N802
        """Begin to hand bytes to a rank."""
        link = self._link
        answer = link.board.post.remote(
            link.generation, self._name, dest, self._rank, tag, _packed(buffer[0])
        )
        return Request(answer, lambda *_: None)

    def Irecv(self, buffer: Any, source: int | None, tag: int = 0) -> Request:  # noqa: N802
        """Begin to wait for bytes of a rank, or of any."""
        link, into = self._link, _view(buffer)

        def finish(message: Any, status: Status | None) -> None:
            into[:] = _unpacked(message[2])
            if status is not None:
                status.source = message[0]

        answer = link.board.fetch.remote(link.generation, self._name, self._rank, source, tag)
        return Request(answer, finish)

    def Send(self, buffer: Any, dest: int, tag: int = 0) -> None:  # noqa: N802
        """Hand bytes to a rank."""
        link = self._link
        post = link.board.post.remote
        self._settled(post(link.generation, self._name, dest, self._rank, tag, _packed(buffer[0])))

    def Recv(self, buffer: Any, source: int, tag: int = 0) -> None:  # noqa: N802
        """Wait for bytes of a rank."""
        link = self._link
        fetch = link.board.fetch.remote
        message = self._settled(fetch(link.generation, self._name, self._rank, source, tag))
        _view(buffer)[:] = _unpacked(message[2])


class Farewell:
    """In place of MPI's messages of who leaves: the board knows it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._told = False

    def Iprobe(self, source: int, status: Any = None) -> bool:  # noqa: N802
        """Whether a rank has left."""
        del status
        return source in self._link.gone()

    def Isend(self, buffer: Any, dest: int) -> None:  # noqa: N802
        """Say it, once for all."""
        del buffer, dest
        if not self._told:
            self._told = True
            self._link.leave()


def _numbers(view: memoryview, kind: str) -> _core.Tensor:
    dtype = getattr(_core, _DTYPES[kind])
    return _core.frombuffer(view, dtype=dtype) if len(view) else _core.empty((0,), dtype=dtype)


def _folded(parts: list[memoryview], kind: str, op: str) -> _core.Tensor:
    """All ranks' numbers as one, in the order of the ranks: each has the same bits."""
    total = _numbers(parts[0], kind).clone()
    for each in parts[1:]:
        _CALLS[op](total, _numbers(each, kind))
    return total


def _store(buffer: Any, total: _core.Tensor) -> None:
    if total.numel():
        _numbers(_view(buffer), buffer[1]).copy_(total)

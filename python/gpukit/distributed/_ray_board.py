"""The actor at which ranks that Ray started meet: who is there, and what they hand to each other.

It moves small messages itself; of large ones it holds references, and Ray's store has the bytes.
"""

from __future__ import annotations

import asyncio
from typing import Any


class Board:
    """One group of ranks at a time. All methods run on one event loop, so nothing is locked."""

    def __init__(self) -> None:
        self._generation = 0
        self._begin()

    def _begin(self) -> None:
        self._generation += 1
        self._size = 0
        self._seats: dict[int, Any] = {}
        self._gone: list[int] = []  # left, or died
        self._died: set[int] = set()
        self._full, self._changed = asyncio.Event(), asyncio.Event()
        self._meetings: dict[str, _Meeting] = {}
        self._boxes: dict[tuple[str, int], _Box] = {}
        self._watchers: list[Any] = []

    # ---- who is there ----

    async def join(self, rank: int, size: int, actor: Any) -> int:
        """The number of the group, once all ranks have come; 0 where an earlier one is not over."""
        if rank in self._died:  # a rank died, and is started again
            self._begin()
        if self._full.is_set() or rank in self._seats:
            return 0
        if self._seats and size != self._size:
            raise ValueError(f"world_size is {size} on rank {rank}, and {self._size} on another")
        self._size, self._seats[rank] = size, actor
        generation, full = self._generation, self._full
        if len(self._seats) == size:
            full.set()
            for number, each in self._seats.items():
                if each is not None:
                    watch = self._watch(number, each, generation)
                    self._watchers.append(asyncio.ensure_future(watch))
        await full.wait()
        return generation

    async def withdraw(self, rank: int) -> list[int]:
        """A rank no longer waits for the others; which of them have not come."""
        missing = [each for each in range(self._size) if each not in self._seats]
        if not self._full.is_set():
            self._seats.pop(rank, None)
        return missing

    async def leave(self, rank: int, generation: int) -> None:
        """A rank has left the group."""
        if generation != self._generation or rank in self._gone:
            return
        self._gone.append(rank)
        self._changed.set()
        self._changed = asyncio.Event()
        if len(self._gone) == self._size:
            self._begin()

    async def departures(self, generation: int, known: int) -> list[int]:
        """The ranks that have left or died, once there are more than `known`."""
        while generation == self._generation and len(self._gone) <= known:
            await self._changed.wait()
        return list(self._gone)

    async def _watch(self, rank: int, actor: Any, generation: int) -> None:
        """A rank's process has ended as soon as its actor answers nothing any more."""
        from ray.exceptions import RayError

        while generation == self._generation and rank not in self._gone:
            try:
                await actor.__ray_ready__.remote()
            except RayError:
                if generation == self._generation and rank not in self._gone:
                    self._died.add(rank)
                await self.leave(rank, generation)
                return
            await asyncio.sleep(0.5)

    # ---- what they hand to each other ----

    async def exchange(
        self, generation: int, key: str, rank: int, count: int, payload: Any
    ) -> list[Any]:
        """The payloads of `count` ranks under a key, in their order, once all are there."""
        self._check(generation)
        meeting = self._meetings.setdefault(key, _Meeting())
        meeting.payloads[rank] = payload
        if len(meeting.payloads) == count:
            meeting.complete.set()
        await meeting.complete.wait()
        meeting.read += 1
        if meeting.read == count:
            self._meetings.pop(key, None)
        return [meeting.payloads[each] for each in sorted(meeting.payloads)]

    async def post(
        self, generation: int, key: str, target: int, source: int, tag: int, payload: Any
    ) -> None:
        """A message from one rank to another."""
        self._check(generation)
        self._boxes.setdefault((key, target), _Box()).put((source, tag, payload))

    async def fetch(
        self, generation: int, key: str, target: int, source: int | None, tag: int
    ) -> tuple[int, int, Any]:
        """The first message to a rank from `source`, or any, with this tag."""
        self._check(generation)
        return await self._boxes.setdefault((key, target), _Box()).take(source, tag)

    def _check(self, generation: int) -> None:
        if generation != self._generation:
            raise ValueError("the group is over: all its ranks have left, or one was started again")


class _Meeting:
    """Payloads of one exchange."""

    def __init__(self) -> None:
        self.payloads: dict[int, Any] = {}
        self.complete = asyncio.Event()
        self.read = 0


class _Box:
    """Messages to one rank, and who waits for them: both in the order in which they came."""

    def __init__(self) -> None:
        self._messages: list[tuple[int, int, Any]] = []
        self._waiting: list[tuple[int | None, int, asyncio.Future[tuple[int, int, Any]]]] = []

    def put(self, message: tuple[int, int, Any]) -> None:
        """Hand a message to the first that waits for it."""
        for place, (source, tag, future) in enumerate(self._waiting):
            if _fits(message, source, tag):
                del self._waiting[place]
                future.set_result(message)
                return
        self._messages.append(message)

    async def take(self, source: int | None, tag: int) -> tuple[int, int, Any]:
        """The first message that fits."""
        for place, message in enumerate(self._messages):
            if _fits(message, source, tag):
                del self._messages[place]
                return message
        future: asyncio.Future[tuple[int, int, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append((source, tag, future))
        return await future


def _fits(message: tuple[int, int, Any], source: int | None, tag: int) -> bool:
    return source in {None, message[0]} and tag == message[1]

"""Where ranks that Ray started meet: the board alone, without Ray."""

from __future__ import annotations

import asyncio

import pytest

from gpukit.distributed._ray_board import Board


async def joined(board: Board) -> int:
    """The number of a group of two ranks."""
    first, second = await asyncio.gather(board.join(0, 2, None), board.join(1, 2, None))
    assert first == second
    return first


def test_a_rank_that_left_waits_until_the_group_is_over():
    async def meeting() -> None:
        board = Board()
        generation = await joined(board)
        await board.leave(0, generation)
        assert await board.join(0, 2, None) == 0
        await board.post(generation, "box", 0, 1, 0, b"x")  # rank 1 is still in its group
        await board.leave(1, generation)
        assert await joined(board) == generation + 1

    asyncio.run(meeting())


def test_sizes_that_differ_are_an_error():
    async def meeting() -> None:
        board = Board()
        waiting = asyncio.ensure_future(board.join(0, 2, None))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="world_size is 3 on rank 1, and 2 on another"):
            await board.join(1, 3, None)
        waiting.cancel()

    asyncio.run(meeting())

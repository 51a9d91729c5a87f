"""Every collective over dtypes and shapes, by gpukit or by torch with gloo: the same calls.

`collectives.py gpukit|torch FOLDER`: each rank writes FOLDER/LIBRARY-RANK.npz, what every call left
in every tensor, or the text "refused".
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np

LIBRARY, FOLDER = sys.argv[1:3]
RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if LIBRARY == "torch":
    import torch as lib
    import torch.distributed as dist

    init: dict[str, Any] = {"init_method": f"file://{FOLDER}/store", "rank": RANK}
    dist.init_process_group("gloo", world_size=SIZE, timeout=timedelta(seconds=60), **init)
else:
    import gpukit as lib
    import gpukit.distributed as dist

    warnings.simplefilter("ignore")
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64"]
SHAPES = [(3,), (), (4, 5), (0,), (1000,)]
OPS = ["SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"]


def made(dtype: str, shape: tuple[int, ...], number: int = 0) -> Any:
    """Small whole numbers, so that no rounding hides a fault; other ones on each rank."""
    count = int(np.prod(shape))
    values = (np.arange(count) * (RANK + 2) + number + RANK) % 5 + 1
    return lib.tensor(values.reshape(shape).tolist(), dtype=getattr(lib, dtype))


def zeros(dtype: str, shape: tuple[int, ...]) -> Any:
    return lib.zeros(shape, dtype=getattr(lib, dtype))


def reducing(dtype: str, shape: tuple[int, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name in OPS:
        op = getattr(dist.ReduceOp, name)

        def all_reduce(op: Any = op) -> Any:
            x = made(dtype, shape)
            dist.all_reduce(x, op)
            return x

        def reduce(op: Any = op) -> Any:
            x = made(dtype, shape)
            dist.reduce(x, SIZE - 1, op)
            return x if RANK == SIZE - 1 else None

        yield f"all_reduce {name}", all_reduce
        yield f"reduce {name}", reduce


def moving(dtype: str, shape: tuple[int, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    def broadcast() -> Any:
        x = made(dtype, shape)
        dist.broadcast(x, SIZE - 1)
        return x

    def all_gather() -> Any:
        parts = [zeros(dtype, shape) for _ in range(SIZE)]
        dist.all_gather(parts, made(dtype, shape))
        return lib.stack(parts)

    def into() -> Any:
        out = zeros(dtype, (SIZE, *shape))
        dist.all_gather_into_tensor(out, made(dtype, shape))
        return out

    def gather() -> Any:
        parts = [zeros(dtype, shape) for _ in range(SIZE)] if RANK == 1 else None
        dist.gather(made(dtype, shape), parts, dst=1)
        return lib.stack(parts) if parts else None

    def scatter() -> Any:
        parts = [made(dtype, shape, i) for i in range(SIZE)] if RANK == 0 else None
        out = zeros(dtype, shape)
        dist.scatter(out, parts, src=0)
        return out

    def reduce_scatter() -> Any:
        out = zeros(dtype, shape)
        dist.reduce_scatter(out, [made(dtype, shape, i) for i in range(SIZE)])
        return out

    def all_to_all() -> Any:
        out = zeros(dtype, (SIZE, *shape))
        dist.all_to_all_single(out, made(dtype, (SIZE, *shape)))
        return out

    def uneven() -> Any:
        """Rank r sends i + r + 1 rows to rank i."""
        if not shape:
            return made(dtype, shape)
        parts = [made(dtype, (i + RANK + 1, *shape), i) for i in range(SIZE)]
        outs = [zeros(dtype, (RANK + i + 1, *shape)) for i in range(SIZE)]
        dist.all_to_all(outs, parts)
        return lib.cat(outs)

    def watched() -> Any:
        dist.monitored_barrier()
        return made(dtype, shape)

    def ring() -> Any:
        x, y = made(dtype, shape), zeros(dtype, shape)
        sent = dist.isend(x, (RANK + 1) % SIZE)
        dist.recv(y, (RANK - 1) % SIZE)
        sent.wait()
        return y

    def background() -> Any:
        xs = [made(dtype, shape, i) for i in range(3)]
        works = [dist.all_reduce(x, async_op=True) for x in xs]
        for work in reversed(works):
            work.wait()
        return lib.stack(xs)

    def strided() -> Any:
        x = made(dtype, (4, 6)).t()[1:3].contiguous()
        dist.all_reduce(x)
        return x

    def pair() -> Any:
        group = dist.new_group([0, SIZE - 1])
        x = made(dtype, shape)
        if RANK in {0, SIZE - 1}:
            dist.all_reduce(x, group=group)
        return x

    both = (all_to_all, uneven, watched, ring)
    for call in (broadcast, all_gather, into, gather, scatter, reduce_scatter, *both):
        yield call.__name__, call
    yield from [("background", background), ("strided", strided)]
    if shape == (3,):
        yield "pair", pair


def plain(value: Any) -> Any:
    if value is None:
        return np.zeros(0)
    widest = lib.float64 if str(value.dtype).split(".")[1].startswith(("f", "b")) else lib.int64
    return np.array(value.to(widest).tolist())


def result(call: Callable[[], Any]) -> Any:
    try:
        return plain(call())
    except Exception as error:
        return np.array(f"refused: {error}")


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for dtype in DTYPES:
        for shape in SHAPES:
            for name, call in (*reducing(dtype, shape), *moving(dtype, shape)):
                found[f"{name} {dtype} {shape}"] = result(call)
    return found


np.savez(f"{FOLDER}/{LIBRARY}-{RANK}.npz", **results())
dist.barrier()
dist.destroy_process_group()

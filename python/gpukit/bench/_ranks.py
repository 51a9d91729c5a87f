"""A rank of `bench.allreduce`: `python -m gpukit.bench._ranks FOLDER ROUNDS COUNT...`."""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gpukit
import gpukit.distributed

_WARM_UP = 1
_ELEMENTS = 300_000  # of one round: small tensors are added several times


def libraries(folder: str) -> dict[str, Any]:
    """Name -> (library, its distributed module), those that are installed."""
    dist = gpukit.distributed
    dist.init_process_group("mpi")
    found: dict[str, Any] = {"gpukit": (gpukit, dist)}
    if find_spec("torch") is None:
        return found
    import torch
    import torch.distributed

    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo",
        init_method=f"file://{folder}/store",
        rank=dist.get_rank(),
        world_size=dist.get_world_size(),
    )
    return found | {"torch gloo": (torch, torch.distributed)}


def seconds_of(dist: Any, tensor: Any, repeats: int) -> float:
    """Seconds of one all-reduce, of several in a row after a barrier."""
    dist.barrier()
    started = time.perf_counter()
    for _ in range(repeats):
        dist.all_reduce(tensor)
    return (time.perf_counter() - started) / repeats


def main(folder: str, rounds: int, counts: list[int]) -> None:
    """Measure, and leave rank 0's figures in the folder."""
    found = libraries(folder)
    result: dict[str, dict[str, tuple[float, float]]] = {}
    for count in counts:
        repeats = max(3, _ELEMENTS // count)
        tensors = {name: library.zeros(count) for name, (library, _) in found.items()}
        seconds: dict[str, list[float]] = {name: [] for name in found}
        for number in range(rounds + _WARM_UP):
            for name, (_, dist) in found.items():
                spent = seconds_of(dist, tensors[name], repeats)
                if number >= _WARM_UP:
                    seconds[name].append(spent)
        result[str(count)] = {
            name: (statistics.median(taken), min(taken)) for name, taken in seconds.items()
        }
    dist = gpukit.distributed
    dist.barrier()
    if dist.get_rank() == 0:
        Path(folder, "allreduce.json").write_text(json.dumps(result), encoding="utf-8")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), [int(each) for each in sys.argv[3:]])

"""What ranks on this machine reach: all-reduce beside torch's gloo, and the efficiency of training.

`python benchmarks/scale_out.py` prints Markdown; `--out FILE` writes it too. Needs gpukit[mpi];
torch is compared where it is installed. Gpukit's and gloo's rounds alternate in the same processes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = {"4 kB": 1_000, "256 kB": 64_000, "4 MB": 1_000_000, "40 MB": 10_000_000}
BATCHES = (64, 256, 1024)
ROUNDS, STEPS = 15, 12


def timed(call: Callable[[], Any], barrier: Callable[[], Any], repeats: int) -> float:
    """Seconds of one call, of several in a row after a barrier."""
    barrier()
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def libraries(folder: str) -> dict[str, tuple[Any, Any]]:
    """Name -> (library, its distributed module), those that are installed."""
    import gpukit
    import gpukit.distributed

    gpukit.distributed.init_process_group("mpi")
    found: dict[str, tuple[Any, Any]] = {"gpukit": (gpukit, gpukit.distributed)}
    try:
        import torch
        import torch.distributed
    except ImportError:
        return found
    torch.set_num_threads(1)
    rank, size = gpukit.distributed.get_rank(), gpukit.distributed.get_world_size()
    store = f"file://{folder}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=size)
    return found | {"torch gloo": (torch, torch.distributed)}


def allreduce(folder: str) -> None:
    """On each rank: microseconds of an all-reduce of each size, the median of the rounds."""
    found = libraries(folder)
    seconds: dict[str, dict[str, list[float]]] = {size: {n: [] for n in found} for size in SIZES}
    for size, count in SIZES.items():
        repeats = max(3, 300_000 // count)
        tensors = {name: lib.zeros(count) for name, (lib, _) in found.items()}
        for number in range(ROUNDS + 1):
            for name, (_, dist) in found.items():
                x = tensors[name]
                spent = timed(lambda x=x, d=dist: d.all_reduce(x), dist.barrier, repeats)
                if number:
                    seconds[size][name].append(spent)
    write(
        folder, "allreduce", {s: {n: middle(t) for n, t in by.items()} for s, by in seconds.items()}
    )


def middle(values: list[float]) -> list[float]:
    """Median and smallest."""
    return [statistics.median(values), min(values)]


def training(folder: str) -> None:
    """On each rank: seconds of a step with gradients averaged, beside the same without."""
    import gpukit
    import gpukit.distributed as dist
    from gpukit import nn
    from gpukit.nn.parallel import DistributedDataParallel

    dist.init_process_group("mpi")
    gpukit.set_num_threads(1)
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
    plain = nn.Sequential(*layers)
    wrapped = DistributedDataParallel(nn.Sequential(*layers))
    optimizer = gpukit.optim.SGD(plain.parameters(), lr=0.001)
    result = {"parameters": sum(each.numel() for each in plain.parameters())}
    for batch in BATCHES:
        x, y = gpukit.rand(batch, 784), gpukit.randint(10, (batch,))

        def step(model: Any, x: Any = x, y: Any = y) -> None:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

        alone, together = [], []
        for number in range(ROUNDS + 1):
            with wrapped.no_sync():
                quiet = timed(lambda: step(wrapped), dist.barrier, STEPS)
            synced = timed(lambda: step(wrapped), dist.barrier, STEPS)
            if number:
                alone.append(quiet)
                together.append(synced)
        result[str(batch)] = {"without": middle(alone), "with": middle(together)}
    write(folder, "training", result)


def write(folder: str, name: str, result: Any) -> None:
    """Rank 0's figures, for the process that asked."""
    import gpukit.distributed as dist

    dist.barrier()
    if dist.get_rank() == 0:
        Path(folder, f"{name}.json").write_text(json.dumps(result))
    dist.destroy_process_group()


def measured(role: str, ranks: int) -> Any:
    """The figures of a job of so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(
            os.environ, GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1", GPUKIT_NUM_THREADS="1"
        )
        command = [sys.executable, "-m", "gpukit", "run", "-n", str(ranks), "--timeout", "500"]
        subprocess.run([*command, __file__, role, folder], env=environment, check=True)
        (found,) = Path(folder).glob("*.json")
        return json.loads(found.read_text())


def page(ranks: int) -> str:
    """All figures as Markdown."""
    reduce = measured("allreduce", ranks)
    names = list(next(iter(reduce.values())))
    lines = [
        "# Ranks on one machine",
        "",
        f"`python benchmarks/scale_out.py -n {ranks}`, {time.strftime('%Y-%m-%d')}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end, {platform.machine()}.",
        f"Medians of {ROUNDS} rounds; the smallest in brackets.",
        "",
        f"## All-reduce of float32 over {ranks} ranks",
        "",
        "| size | " + " | ".join(f"{name}, µs" for name in names) + " | payload GB/s |",
        "|---|" + "---|" * (len(names) + 1),
    ]
    for size, by in reduce.items():
        cells = [f"{by[name][0] * 1e6:.0f} ({by[name][1] * 1e6:.0f})" for name in names]
        speed = SIZES[size] * 4 / by["gpukit"][0] / 1e9
        lines.append(f"| {size} | " + " | ".join(cells) + f" | {speed:.2f} |")
    train, alone = measured("training", ranks), measured("training", 1)
    lines += [
        "",
        f"## Training of {train['parameters']} parameters, one thread a rank",
        "",
        "| batch a rank | one process, ms | ranks without averaging, ms | with, ms | efficiency "
        "| of averaging |",
        "|---|---|---|---|---|---|",
    ]
    for batch in map(str, BATCHES):
        one, without, having = (
            alone[batch]["with"][0],
            train[batch]["without"][0],
            train[batch]["with"][0],
        )
        lines.append(
            f"| {batch} | {one * 1e3:.2f} | {without * 1e3:.2f} | {having * 1e3:.2f} | "
            f"{one / having:.2f} | {without / having:.2f} |"
        )
    lines += [
        "",
        "Efficiency is the step of one process with one thread over that of each rank. The last "
        "column leaves out what ranks take from one another without averaging: caches, memory, the "
        "clock, and on a busy machine the cores.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """The whole page, or one rank's part of it."""
    if len(sys.argv) == 3 and sys.argv[1] in {"allreduce", "training"}:
        globals()[sys.argv[1]](sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2, help="ranks")
    parser.add_argument("--out", type=Path, help="a file that receives the page")
    options = parser.parse_args()
    text = page(options.n)
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

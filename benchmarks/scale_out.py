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

import gpukit

BATCHES = (64, 256, 1024)
ROUNDS, STEPS = 15, 12


def timed(call: Callable[[], Any], barrier: Callable[[], Any], repeats: int) -> float:
    """Seconds of one call, of several in a row after a barrier."""
    barrier()
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def middle(values: list[float]) -> list[float]:
    """Median and smallest."""
    return [statistics.median(values), min(values)]


def training(folder: str) -> None:
    """On each rank: seconds of a step with gradients averaged, beside the same without."""
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
    write(folder, result)


def write(folder: str, result: Any) -> None:
    """Rank 0's figures, for the process that asked."""
    import gpukit.distributed as dist

    dist.barrier()
    if dist.get_rank() == 0:
        Path(folder, "training.json").write_text(json.dumps(result))
    dist.destroy_process_group()


def measured(ranks: int) -> Any:
    """The figures of training on so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, OMP_NUM_THREADS="1", GPUKIT_NUM_THREADS="1")
        command = [sys.executable, "-m", "gpukit", "run", "-n", str(ranks), "--timeout", "500"]
        subprocess.run([*command, __file__, "training", folder], env=environment, check=True)
        (found,) = Path(folder).glob("*.json")
        return json.loads(found.read_text())


def page(ranks: int) -> str:
    """All figures as Markdown."""
    reduce = gpukit.bench.allreduce(ranks, rounds=ROUNDS)
    lines = [
        "# Ranks on one machine",
        "",
        f"`python benchmarks/scale_out.py -n {ranks}`, {time.strftime('%Y-%m-%d')}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end, {platform.machine()}.",
        f"Medians of {ROUNDS} rounds.",
        "",
        f"## All-reduce of float32 over {ranks} ranks",
        "",
        reduce.to_markdown(),
    ]
    train, alone = measured(ranks), measured(1)
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
    if len(sys.argv) == 3 and sys.argv[1] == "training":
        training(sys.argv[2])
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

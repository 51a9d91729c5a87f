"""Every figure of scale-out on this machine: `python benchmarks/scale_out.py`.

It writes benchmarks/results/scale_out.md (`--out` names another file): all-reduce beside torch's
gloo, the efficiency of training on 1, 2 and 4 ranks, the bytes that the simulated NCCL counts,
Ray's get of 100 MB and Dask's checks. Needs gpukit[mpi]; a section whose package (torch, ray, dask)
is not installed says so. `--short` takes few rounds, to try the command; `--only` one section.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import platform
import re
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
RANKS = (1, 2, 4)
# Ranks are told by the environment.
SHORT = "--short" in sys.argv or os.environ.get("SCALE_OUT_SHORT") == "1"
ROUNDS, STEPS = (2, 2) if SHORT else (15, 12)
RESULT = Path(__file__).parent / "results" / "scale_out.md"
RAY_BYTES = 100_000_000


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


def counting(folder: str) -> None:
    """On each rank: bytes that a simulated GPU sends for an all-reduce."""
    import gpukit.distributed as dist
    from gpukit._system.nccl_library import library

    gpukit.simulate(1, "T4")
    dist.init_process_group("nccl")
    count = ctypes.CDLL(library().path).gpukitSimNcclSent
    count.restype, count.argtypes = ctypes.c_uint64, [ctypes.c_int]
    result = {}
    for elements in (1024, 1_000_000, 10_000_000):
        x = gpukit.ones(elements, device="cuda")
        before = count(0)
        dist.all_reduce(x)
        result[str(4 * elements)] = count(0) - before
    write(folder, result)


def write(folder: str, result: Any) -> None:
    """Rank 0's figures, for the process that asked."""
    import gpukit.distributed as dist

    dist.barrier()
    if dist.get_rank() == 0:
        Path(folder, "figures.json").write_text(json.dumps(result))
    dist.destroy_process_group()


def measured(task: str, ranks: int) -> Any:
    """The figures of a task on so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, OMP_NUM_THREADS="1", GPUKIT_NUM_THREADS="1")
        command = [sys.executable, "-m", "gpukit", "run", "-n", str(ranks), "--timeout", "500"]
        subprocess.run([*command, __file__, task, folder], env=environment, check=True)
        (found,) = Path(folder).glob("*.json")
        return json.loads(found.read_text())


def missing(name: str) -> bool:
    """Whether a package is not installed."""
    return importlib.util.find_spec(name) is None


def reduce_section() -> list[str]:
    """All-reduce between two ranks, and gloo's."""
    sizes = ["4kB", "256kB", "4MB", "40MB"]
    found = gpukit.bench.allreduce(2, sizes, rounds=ROUNDS)
    return ["## All-reduce of float32 over 2 ranks", "", found.to_markdown()]


def training_section() -> list[str]:
    """Steps of 1, 2 and 4 ranks, one thread each."""
    found = {ranks: measured("training", ranks) for ranks in RANKS}
    cores = len(os.sched_getaffinity(0))
    lines = [
        f"## Training of {found[1]['parameters']} parameters, one thread a rank, {cores} cores",
        "",
        "| ranks | ranks a core | batch a rank | step, ms | without averaging, ms | efficiency "
        "| of averaging |",
        "|---|---|---|---|---|---|---|",
    ]
    for ranks in RANKS:
        shared = max(1.0, ranks / cores)
        for batch in map(str, BATCHES):
            one = found[1][batch]["with"][0]
            without, having = (found[ranks][batch][key][0] for key in ("without", "with"))
            lines.append(
                f"| {ranks} | {ranks / cores:g} | {batch} | {having * 1e3:.2f} | "
                f"{without * 1e3:.2f} | {shared * one / having:.2f} | {without / having:.2f} |"
            )
    return [
        *lines,
        "",
        "Efficiency is the step of one process with one thread over that of each rank; where there "
        "are more ranks than cores, the share of a core that a rank has is counted in. The last "
        "column leaves out what ranks take from one another without averaging: caches, memory, the "
        "clock, and on a busy machine the cores.",
    ]


def nccl_section() -> list[str]:
    """Bytes by the simulated NCCL's counter."""
    lines = [
        "## Bytes that each rank sends for an all-reduce, by the simulated NCCL's counter",
        "",
        "| ranks | bytes of the tensor | sent | 2(n−1)/n of it |",
        "|---|---|---|---|",
    ]
    for ranks in RANKS[1:]:
        for size, sent in measured("counting", ranks).items():
            lines.append(f"| {ranks} | {size} | {sent} | {2 * (ranks - 1) * int(size) // ranks} |")
    return lines


def ray_section() -> list[str]:
    """Put and get of Ray's store, beside NumPy's array."""
    lines = ["## Ray's store: a tensor of 100 MB", ""]
    if missing("ray"):
        return [*lines, "Ray is not installed."]
    os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    import numpy as np
    import ray  # it reads the first variable now, and listens on the loopback device alone

    ray.init(
        num_cpus=1,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=6 * RAY_BYTES,
        log_to_driver=False,
        logging_level="ERROR",
    )
    lines += ["| of | put, ms | get, ms |", "|---|---|---|"]
    things = {"gpukit": gpukit.ones(RAY_BYTES // 4), "NumPy": np.ones(RAY_BYTES // 4, np.float32)}
    for name, thing in things.items():
        put = min(timed(lambda t=thing: ray.put(t), lambda: None, 1) for _ in range(3))
        reference = ray.put(thing)
        gets = [timed(lambda r=reference: ray.get(r), lambda: None, 1) for _ in range(ROUNDS)]
        lines.append(f"| {name} | {put * 1e3:.2f} | {statistics.median(gets) * 1e3:.3f} |")
        del reference
    ray.shutdown()
    return lines


def dask_section() -> list[str]:
    """How many of the checks of chunks hold."""
    lines = ["## Dask", ""]
    if missing("dask"):
        return [*lines, "Dask is not installed."]
    tests = Path(__file__).parent.parent / "tests" / "engines" / "test_dask_chunks.py"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not long", str(tests)]
    wanted = ["-k", "test_the_same_as_numpy", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed)", done.stdout)}
    total = sum(counts.values())
    if not total:
        raise RuntimeError(done.stdout + done.stderr)
    return [*lines, f"{counts.get('passed', 0)} of {total} checks against chunks of NumPy hold."]


SECTIONS = {
    "allreduce": reduce_section,
    "training": training_section,
    "nccl": nccl_section,
    "ray": ray_section,
    "dask": dask_section,
}


def page(names: list[str]) -> str:
    """The figures as Markdown."""
    before = os.getloadavg()[0]
    parts = [SECTIONS[name]() for name in names]
    short = " With `--short`: too few rounds to quote." if SHORT else ""
    head = [
        "# Scale-out on one machine",
        "",
        f"`python benchmarks/scale_out.py`, {time.strftime('%Y-%m-%d')}, "
        f"{len(os.sched_getaffinity(0))} cores, {platform.machine()}, gpukit {gpukit.__version__}, "
        f"load {before:.1f} at the start. Medians of {ROUNDS} rounds.{short}",
        "",
    ]
    return "\n".join([*head, "\n\n".join("\n".join(part) for part in parts), ""])


def main() -> None:
    """The whole page, or one rank's part of it."""
    if len(sys.argv) == 3 and sys.argv[1] in {"training", "counting"}:
        {"training": training, "counting": counting}[sys.argv[1]](sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT, help="the file that receives the page")
    parser.add_argument("--only", choices=SECTIONS, help="one section, printed and not written")
    parser.add_argument("--short", action="store_true", help="few rounds, printed and not written")
    options = parser.parse_args()
    if options.short:
        os.environ["SCALE_OUT_SHORT"] = "1"
    text = page([options.only] if options.only else list(SECTIONS))
    print(text)
    if not (options.only or options.short):
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

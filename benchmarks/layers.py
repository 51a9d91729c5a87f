"""Layers beside torch: pooling, batch norm, recurrence, attention, forward and with gradients.

`python benchmarks/layers.py` prints Markdown; `--case WORD` picks cases, `--threads N` sets the
threads of both libraries, `--json FILE` writes all samples. Each library runs in processes of its
own, in turns, without OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE, with the same inputs and parameters.
The results of both, gradients too, are compared before anything is timed. A time is the median of
all samples, with the middle half of them. Measure on a quiet machine only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np

LIBRARIES = ("gpukit", "torch")
OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
ROUNDS, SAMPLES, BUDGET_NS, TOLERANCE = 3, 15, 5e8, 2e-4


@dataclass(frozen=True)
class Case:
    """`make(library)` gives a function of tensors; goal: torch's time divided by gpukit's."""

    make: Callable[[Any], Callable[..., Any]]
    shapes: tuple[tuple[int, ...], ...]
    goal: float


def lstm(library: Any) -> Callable[..., Any]:
    layer = library.nn.LSTM(64, 128)
    fill(library, layer)
    return lambda x: layer(x)[0]


def batch_norm(library: Any) -> Callable[..., Any]:
    layer = library.nn.BatchNorm2d(64)
    fill(library, layer)
    return layer


def attention(causal: bool) -> Callable[[Any], Callable[..., Any]]:
    return lambda library: (
        lambda q, k, v: library.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal
        )
    )


IMAGES, HEADS = (16, 64, 56, 56), (4, 8, 512, 64)
CASES = {
    "max pooling 2 × 2": Case(lambda library: library.nn.MaxPool2d(2), (IMAGES,), 5),
    "max pooling 3 × 3, stride 2": Case(
        lambda library: library.nn.MaxPool2d(3, 2, 1), (IMAGES,), 5
    ),
    "batch norm": Case(batch_norm, (IMAGES,), 1.5),
    "LSTM 64 to 128, 32 steps of 32": Case(lstm, ((32, 32, 64),), 1),
    "attention of 512": Case(attention(False), (HEADS,) * 3, 1.5),
    "causal attention of 512": Case(attention(True), (HEADS,) * 3, 1.5),
    "causal attention of 4096": Case(attention(True), ((1, 8, 4096, 64),) * 3, 1.5),
}


def fill(library: Any, layer: Any) -> None:
    """Parameters that do not depend on the library."""
    for parameter in layer.parameters():
        count = parameter.numel()
        values = np.sin(np.arange(count, dtype=np.float32)).reshape(tuple(parameter.shape)) * 0.2
        parameter.data.copy_(library.tensor(values))


def inputs_of(library: Any, case: Case, train: bool) -> list[Any]:
    tensors = []
    for seed, shape in enumerate(case.shapes):
        data = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
        tensors.append(library.tensor(data).requires_grad_(train))
    return tensors


def one_call(
    library: Any, function: Callable[..., Any], inputs: list[Any], train: bool
) -> Callable[[], Any]:
    """The forward pass, or that and the gradients of all inputs."""
    if not train:
        return lambda: [function(*inputs)]

    # Not the gradient of a sum, which is rounding alone where a layer normalizes.
    shape = tuple(function(*inputs).shape)
    ramp = np.sin(np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)
    gradient = library.tensor(ramp)

    def step() -> list[Any]:
        for each in inputs:
            each.grad = None
        result = function(*inputs)
        result.backward(gradient)
        return [result.detach(), *(each.grad for each in inputs)]

    return step


def worker(name: str, case: str, train: bool, threads: int, target: str) -> None:
    """Results to a file of NumPy's, times of calls as JSON."""
    library = importlib.import_module(name)
    if threads:
        library.set_num_threads(threads)
    row = CASES[case]
    function = row.make(library)
    inputs = inputs_of(library, row, train)
    call = one_call(library, function, inputs, train)
    recorded = library.enable_grad() if train else library.no_grad()
    with recorded:
        results = [each.detach().numpy() for each in call()]
        np.savez(target, *results)
        call()
        times: list[int] = []
        while len(times) < SAMPLES and (len(times) < 3 or sum(times) < BUDGET_NS):
            start = perf_counter_ns()
            call()
            times.append(perf_counter_ns() - start)
    print(json.dumps(times))


def run(name: str, case: str, train: bool, threads: int, target: Path) -> list[int]:
    """One fresh process."""
    environment = {key: value for key, value in os.environ.items() if key not in OVERRIDES}
    command = [sys.executable, __file__, "--worker", name, case, str(int(train)), str(target)]
    command += ["--threads", str(threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}, {case}:\n{done.stderr}")
    return list(json.loads(done.stdout.splitlines()[-1]))


def difference(folder: Path) -> float:
    """The largest one, relative to the largest element."""
    mine, theirs = (np.load(folder / f"{name}.npz") for name in LIBRARIES)
    worst = 0.0
    for key in theirs.files:
        scale = float(np.abs(theirs[key]).max()) or 1.0
        worst = max(worst, float(np.abs(mine[key] - theirs[key]).max()) / scale)
    return worst


def measured(case: str, train: bool, threads: int) -> dict[str, Any]:
    times: dict[str, list[int]] = {name: [] for name in LIBRARIES}
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for _ in range(ROUNDS):
            for name in LIBRARIES:
                times[name] += run(name, case, train, threads, folder / f"{name}.npz")
            error = difference(folder)
            if error > TOLERANCE:
                raise SystemExit(f"{case}: the results differ by {error:.2g}")
    return {"case": case, "gradients": train, "difference": error, "times_ns": times}


def shown(times: list[int]) -> str:
    low, middle, high = (each / 1e6 for each in statistics.quantiles(times, n=4))
    return f"{middle:.3g} ms ({low:.3g} to {high:.3g})"


def row_of(result: dict[str, Any]) -> str:
    mine, theirs = (result["times_ns"][name] for name in LIBRARIES)
    ratio = statistics.median(theirs) / statistics.median(mine)
    name = result["case"] + (", with gradients" if result["gradients"] else "")
    goal = CASES[result["case"]].goal
    return f"| {name} | {shown(mine)} | {shown(theirs)} | {ratio:.2f} | {goal:g} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", default="", help="part of the names of the cases")
    parser.add_argument("--threads", type=int, default=0, help="of both libraries; 0: their own")
    parser.add_argument("--json", type=Path, help="where all samples go")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        name, case, train, target = arguments.worker
        return worker(name, case, train == "1", arguments.threads, target)
    print("| case | gpukit | torch | torch / gpukit | goal |\n|---|---|---|---|---|")
    results = []
    for case in CASES:
        for train in (False, True) if arguments.case in case else ():
            results.append(measured(case, train, arguments.threads))
            print(row_of(results[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()

"""Removes each barrier of gpukit's kernels once, in their PTX: check=race must find that.

    python tools/make_ptx.py 75 FOLDER
    python tools/mutate_ptx.py FOLDER [FAMILY ...]

A process for each barrier, some seconds each. NEEDLESS lists the barriers without which there is no
race, with the reason. Ends with 1 where the loss of any other barrier was not found, or that of a
listed one was.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

FLOATS = ("float32", "float64", "float16", "bfloat16")
NUMBERS = (*FLOATS, "int32", "int64", "int8", "uint8", "int16")
SHAPES = ((300, 400), (5, 20_000), (40_000, 3))
# Barriers without which there is no race, by kernel and number in it, and why.
LAST_SUM = "behind the last block_sum of the kernel nobody touches shared memory any more"
MANY = "only a block that makes a second product needs it: a batch of over 65 535"
NEEDLESS = {
    "gk_loss_total_f32 4": LAST_SUM,
    "gk_loss_total_f64 4": LAST_SUM,
    "gk_matmul_mma_f16 3": MANY,
    "gk_matmul_mma_large_f16 3": MANY,
}
Call = Callable[[], Any]


def tensors(shapes: tuple[tuple[int, ...], ...], dtypes: tuple[str, ...]) -> Iterator[Any]:
    """Small whole numbers on the device, of every dtype in every shape."""
    import numpy as np

    import gpukit

    random = np.random.default_rng(0)
    for dtype in dtypes:
        for shape in shapes:
            values = random.integers(0, 9, shape).astype("float32")
            yield gpukit.tensor(values, device="cuda:0").to(getattr(gpukit, dtype))


def methods(x: Any, names: str, *args: Any) -> Iterator[Call]:
    """The methods of a tensor that have these names."""
    for name in names.split():
        if hasattr(x, name):
            yield partial(getattr(x, name), *args)


def backward_of_sum(function: Callable[..., Any], *args: Any) -> None:
    """Forwards, and back from the sum of the result."""
    function(*args).sum().backward()


def row_work(x: Any, targets: Any) -> Iterator[Call]:
    """Softmax, its logarithm, and what is made of them, forwards and back."""
    import gpukit
    from gpukit.nn import functional

    for dim in (0, 1):
        for function in (functional.softmax, functional.log_softmax, gpukit.logsumexp):
            yield partial(backward_of_sum, function, x, dim)
    for reduction in ("mean", "sum", "none"):
        for more in ({}, {"label_smoothing": 0.1}, {"ignore_index": 3}):
            loss = partial(functional.cross_entropy, reduction=reduction, **more)
            yield partial(backward_of_sum, loss, x, targets)


def work(family: str) -> Iterator[Call]:
    """Calls that launch a family's kernels with barriers."""
    import gpukit

    if family == "copy":
        for x in tensors(((70, 90),), NUMBERS):
            yield x.t().contiguous
    elif family == "matmul_mma":
        for x in tensors(((90, 200), (44, 130, 200)), ("float16",)):
            yield partial(x.matmul, x.transpose(-1, -2).contiguous())
    elif family == "matmul_thin":
        for x in tensors(((9, 600), (3, 700, 20)), ("float32", "float64")):
            yield partial(x.matmul, x.transpose(-1, -2).contiguous())
    elif family == "matmul_tiled":
        for x in tensors(((90, 70),), NUMBERS):
            yield partial(x.matmul, x.t().contiguous())
    elif family == "matmul_wide":
        for x in tensors(((20, 70, 20),), ("float32", "float64")):
            yield partial(x.matmul, x.transpose(-1, -2).contiguous())
    elif family == "cumulative":
        for x in tensors(((3, 2500), (2500, 3)), NUMBERS[:6]):
            yield from methods(x, "cumsum cumprod", 1)
            yield from methods(x, "cumsum cumprod", 0)
    elif family == "reduce":
        for x in tensors(SHAPES, (*NUMBERS, "bool", "uint16", "uint32")):
            for args in ((), (0,), (1,)):
                yield from methods(x, "sum prod max min argmax argmin any all mean var", *args)
    elif family == "sort":
        for x in tensors(((3, 5000), (100, 60)), NUMBERS):
            yield from methods(x, "sort argsort", 1)
    else:
        for x in tensors(((7, 5000), (300, 50)), FLOATS):
            targets = gpukit.zeros(x.shape[0], dtype=gpukit.int64, device="cuda:0")
            yield from row_work(x.requires_grad_(), targets)


def run_work(family: str) -> int:
    """What a child does: dtypes that a call does not take are passed over."""
    import gpukit

    for call in work(family):
        with contextlib.suppress(TypeError, ValueError):
            call()
    gpukit.cuda.synchronize()
    return 0


def child(family: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The family's work with the texts of a folder."""
    simulation = f"1xT4,engine=ptx,check=race,ptx={folder}"
    return subprocess.run(
        [sys.executable, __file__, "--work", family, str(folder)],
        env={**os.environ, "GPUKIT_SIMULATE": simulation, "GPUKIT_CUBLAS": "none"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def mutate(family: str, folder: Path, mutants: Path) -> list[str]:
    """The barriers whose loss is told otherwise than it should be."""
    lines = (folder / f"{family}.ptx").read_text().split("\n")
    whole = child(family, folder)
    if whole.returncode != 0:
        return [f"{family}: the work itself ends with {whole.stderr[-300:]}"]
    wrong, kernel, number, count, needless = [], "", 0, 0, 0
    for i, line in enumerate(lines):
        if entry := re.search(r"\.entry (\w+)", line):
            kernel, number = entry[1], 0
        if not re.search(r"\b(bar|barrier)\.sync", line):
            continue
        count += 1
        number += 1
        name = f"{kernel} {number}"
        needless += name in NEEDLESS
        mutant = "\n".join([*lines[:i], "", *lines[i + 1 :]])
        (mutants / f"{family}.ptx").write_text(mutant)
        found = "a race" in child(family, mutants).stderr
        if found == (name in NEEDLESS):
            wrong.append(f"{family}.ptx:{i + 1}, {name}: {'found' if found else 'not found'}")
    shutil.copy(folder / f"{family}.ptx", mutants)
    print(f"{family}: {count - len(wrong)} of {count} as they should be", end="")
    print(f", {needless} of them needless" if needless else "", flush=True)
    return wrong


def main() -> int:
    """All families with barriers, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", default="", help=argparse.SUPPRESS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("families", nargs="*")
    given = parser.parse_args()
    if given.work:
        return run_work(given.work)
    families = given.families or sorted(
        path.stem
        for path in given.folder.glob("*.ptx")
        # What launches the self-test's kernel is no call of the public API.
        if "bar.sync" in path.read_text()
    )
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        mutants = Path(made) / "ptx"
        shutil.copytree(given.folder, mutants)
        for family in families:
            wrong += mutate(family, given.folder, mutants)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Rows of the stage `peers`: chains as written and compiled, beside torch's.

In the column `gpukit` a chain is compiled for the interpreting kernel, which others are divided by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from chains import INPUTS, SOURCE

import gpukit
from gpu_day.libraries import Array, Library
from gpu_day.rows import add_row
from gpu_day.sheet import Sheet, simulated

ELEMENTS = 1 << 12 if simulated() else 1 << 26
# Elements read and written for each of the chain, and bytes for those of one byte.
MOVED = {
    "copy": (2, 0),
    "polynomial": (2, 0),
    "gate": (3, 0),
    "adam": (7, 0),
    "squared_diff": (3, 0),
    "comparison": (2, 1),
    "functions": (3, 0),
    "mean_square": (2, 0),
}
TOLERANCES = {"float32": 1e-4, "float16": 2e-2}


def inputs(library: Library, dtype: str) -> list[Any]:
    """As benchmarks/chains.py has them."""
    draw = np.random.default_rng(0)
    made = [draw.random(ELEMENTS, dtype=np.float32) + np.float32(0.25) for _ in INPUTS]
    made[0] -= np.float32(0.75)
    return [library.cast(library.upload(array), dtype) for array in made]


def functions(module: Any) -> dict[str, Callable[..., Any]]:
    """The chains in a library's words."""
    names = {name: getattr(module, name) for name in ("sqrt", "sin", "tanh", "asinh", "sigmoid")}
    exec(compile(SOURCE, "chains", "exec"), names)
    return {name: names[name] for name in MOVED}


def first_of(library: Library) -> Callable[[Any], Array]:
    """Downloads the first result; of truth values their share, since a tie may go either way."""

    def download(made: Any) -> Array:
        found = library.download(made[0] if isinstance(made, tuple) else made)
        is_truth = str(getattr(made, "dtype", "")).endswith("bool")
        return np.array([found.mean()]) if is_truth else np.atleast_1d(found)

    return download


def variants(library: Library) -> dict[str, Callable[[Any], Any]]:
    """How a library may be asked for a chain."""
    module = library.module
    if library.name == "gpukit":
        return {
            "gpukit": lambda chain: module.compile(chain, fullgraph=True, backend="tiles"),
            "gpukit nvrtc": lambda chain: module.compile(chain, fullgraph=True, backend="nvrtc"),
            "gpukit eager": lambda chain: chain,
        }
    return {"torch eager": lambda chain: chain, "torch.compile": module.compile}


def works(
    sheet: Sheet, libraries: list[Library], name: str, arrays: dict[str, list[Any]]
) -> tuple[list[Library], dict[str, Callable[[], Any]]]:
    """Each way to compute a chain, as a library of its own; those that fail are noted."""
    ways: list[Library] = []
    made: dict[str, Callable[[], Any]] = {}
    for library in libraries:
        chain, given = functions(library.module)[name], arrays[library.name]
        for title, wrap in variants(library).items():
            function = wrap(chain)
            try:
                for _ in range(3):  # recorded, compiled, run
                    function(*given)
            except Exception as error:
                sheet.note(f"{title}, {name}: {type(error).__name__}: {str(error)[:200]}")
                continue
            ways.append(replace(library, name=title, download=first_of(library)))
            made[title] = lambda function=function, given=given: function(*given)
    return ways, made


def note_other_bits(sheet: Sheet, name: str, made: dict[str, Callable[[], Any]]) -> None:
    """The compiled kernel is to have the interpreting one's values, bit for bit."""
    if "gpukit nvrtc" not in made:
        return
    pair = [made[title]() for title in ("gpukit", "gpukit nvrtc")]
    a, b = (each if isinstance(each, tuple) else (each,) for each in pair)
    if not all(gpukit.equal(one, other) for one, other in zip(a, b, strict=True)):
        sheet.note(f"chain {name}: the bits of backend='nvrtc' are not the interpreting kernel's")


def chains(sheet: Sheet, libraries: list[Library]) -> None:
    """Of as many elements as `bandwidth` has, so that the rate may be held against a copy."""
    tensors = [library for library in libraries if library.has_tensors]
    for dtype, rtol in TOLERANCES.items():
        arrays = {library.name: inputs(library, dtype) for library in tensors}
        width = int(dtype[-2:]) // 8
        for name, (elements, single) in MOVED.items():
            ways, made = works(sheet, tensors, name, arrays)
            if not simulated():  # where the two kernels have different mathematics
                note_other_bits(sheet, f"{name} {dtype}", made)
            own = add_row(
                sheet,
                ways,
                f"chain {name}, {ELEMENTS} {dtype}",
                lambda p, made=made: made[p.name],
                rtol=rtol,
                amount=float(ELEMENTS * (elements * width + single)),
                unit="GB/s",
            )
            if math.isinf(own):
                sheet.note(f"chain {name} {dtype} is not timed: its results differ")

"""Times one library's elementwise work, reductions or products in its own process; prints JSON.

`python benchmarks/alone.py LIBRARY GROUP THREADS` prints {case: [nanoseconds of a call, …]}. The
threads of a library spin for a while after their work (those of torch for milliseconds) and take a
core from whatever computes next, so libraries that share a process cannot be compared on work of
some ten microseconds. Inputs are the same in every process, by seed.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

import numpy as np

Work = Callable[..., Any]
SAMPLE_NS = 2e6
WARM_UP_NS = 1e8
BUDGET_NS = 1e8
MOST_SAMPLES = 25
FEWEST_SAMPLES = 8


@dataclass(frozen=True)
class Case:
    """`work(library, *arrays)`; `numpy` is its form there where that is another one."""

    shapes: tuple[tuple[int, ...], ...]
    work: Work
    goals: Mapping[str, float] = field(default_factory=dict)
    numpy: Work | None = None
    libraries: tuple[str, ...] = ("gpukit", "numpy", "torch")
    rtol: float = 1e-5
    dtype: str = "float32"

    def in_library(self, name: str) -> Callable[[], Any]:
        """The case as a function without arguments."""
        library = importlib.import_module(name)
        arrays = [on_library(library, data, self.dtype) for data in self.data()]
        work = self.numpy if name == "numpy" and self.numpy else self.work
        return lambda: work(library, *arrays)

    def data(self) -> list[np.ndarray]:
        return [
            np.random.default_rng(seed).random(shape, dtype=np.float32)
            for seed, shape in enumerate(self.shapes)
        ]


def on_library(library: Any, data: np.ndarray, dtype: str) -> Any:
    if library is np:
        return data.astype(dtype)
    return library.tensor(data).to(getattr(library, dtype))


def numpy_softmax(_: Any, x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def numpy_layer_norm(_: Any, x: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


LONG = (10_000_000,)
SHORT = (1_000_000,)
ROWS = (4096, 1024)
ELEMENTWISE = {
    "add 1e7 into a new result": Case(
        (LONG, LONG), lambda _, x, y: x + y, {"torch": 5, "numpy": 1.5}
    ),
    "add 1e7 in place": Case(
        (LONG, LONG),
        lambda _, x, y: x.add_(y),
        {"torch": 1},
        lambda _, x, y: np.add(x, y, out=x),
    ),
    "exp 1e6": Case((SHORT,), lambda m, x: m.exp(x), {"torch": 4, "numpy": 2}),
    "tanh 1e6": Case((SHORT,), lambda m, x: m.tanh(x), {"torch": 7, "numpy": 1}),
    "relu 1e6": Case(
        (SHORT,), lambda m, x: m.relu(x), {"torch": 1}, lambda _, x: np.maximum(x, np.float32(0))
    ),
    "sqrt 1e6": Case((SHORT,), lambda m, x: m.sqrt(x)),
    "sigmoid 1e6": Case(
        (SHORT,), lambda m, x: m.sigmoid(x), numpy=lambda _, x: 1 / (1 + np.exp(-x))
    ),
    "(1000, 1000) + (1000,)": Case(((1000, 1000), (1000,)), lambda _, x, y: x + y, {"torch": 1}),
    "transpose copy 4096²": Case(
        ((4096, 4096),),
        lambda _, x: x.T.contiguous(),
        {"torch": 3},
        lambda _, x: np.ascontiguousarray(x.T),
    ),
    "float32 → float16 1e6": Case(
        (SHORT,),
        lambda m, x: x.to(m.float16),
        {"torch": 1},
        lambda _, x: x.astype(np.float16),
        rtol=1e-2,
    ),
    "float32 → bfloat16 1e6": Case(
        (SHORT,),
        lambda m, x: x.to(m.bfloat16),
        {"torch": 1},
        libraries=("gpukit", "torch"),
        rtol=1e-2,
    ),
    "softmax 4096×1024": Case((ROWS,), lambda m, x: m.softmax(x, 1), {"torch": 1.8}, numpy_softmax),
    "layer norm 4096×1024": Case(
        (ROWS,),
        lambda m, x: m.nn.functional.layer_norm(x, (1024,)),
        {"torch": 1},
        numpy_layer_norm,
    ),
}
REDUCTIONS = {
    "sum 1e6": Case((SHORT,), lambda _, x: x.sum(), {"torch": 1}),
    "mean 1e6": Case((SHORT,), lambda _, x: x.mean(), {"torch": 1}),
    "max 1e6": Case((SHORT,), lambda _, x: x.max(), {"numpy": 1.2}),
    "argmax 1e6": Case((SHORT,), lambda _, x: x.argmax(), {"numpy": 1.2, "torch": 20}),
    "sum 2048² over dimension 0": Case(((2048, 2048),), lambda _, x: x.sum(0), {"torch": 1}),
    "sum 2048² over dimension 1": Case(((2048, 2048),), lambda _, x: x.sum(1), {"torch": 1}),
}
# How good the loops are, whatever the threads add.
ONE_THREAD = {
    "tanh 1e6": Case((SHORT,), lambda m, x: m.tanh(x), {"numpy": 1}),
    "max 1e6": Case((SHORT,), lambda _, x: x.max(), {"numpy": 1.1}),
}


def product(
    shapes: tuple[tuple[int, ...], ...],
    goals: Mapping[str, float],
    dtype: str = "float32",
    rtol: float = 1e-4,
) -> Case:
    """Two matrices, or batches of them. NumPy has no bfloat16, and takes seconds for float16."""
    half = dtype in ("float16", "bfloat16")
    libraries = ("gpukit", "torch") if half else ("gpukit", "numpy", "torch")
    return Case(shapes, lambda _, x, y: x @ y, goals, libraries=libraries, rtol=rtol, dtype=dtype)


def squares(n: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (n, n), (n, n)


ROW, COLUMN, SQUARE = (1, 4096), (4096, 1), (4096, 4096)
PRODUCTS = {
    "float64 512×512": product(squares(512), {"numpy": 0.98, "torch": 0.98}, "float64"),
    "float16 512×512": product(squares(512), {"torch": 35}, "float16", 2e-2),
    "bfloat16 512×512": product(squares(512), {"torch": 0.9}, "bfloat16", 2e-2),
    "bfloat16 1024×1024": product(squares(1024), {"torch": 0.9}, "bfloat16", 2e-2),
    "64 products 128×128": product(((64, 128, 128),) * 2, {"torch": 1}),
    "1×4096 @ 4096×4096": product((ROW, SQUARE), {"numpy": 1}),
    "float64 1×4096 @ 4096×4096": product((ROW, SQUARE), {"numpy": 1}, "float64"),
    "4096×4096 @ 4096×1": product((SQUARE, COLUMN), {"numpy": 1}),
}
# The tutorials' exercise of a thousand products and their norms, as they write it.
TIMES, EXERCISE = range(1000), ((100, 100),)
EXERCISES = {
    "1 000 products 100×100, float(norm)": Case(
        EXERCISE,
        lambda _, x: [float((x @ x).norm()) for _ in TIMES],
        {"numpy": 1 / 0.9},
        lambda _, x: [float(np.linalg.norm(x @ x)) for _ in TIMES],
    ),
    "…, norms kept, converted once": Case(
        EXERCISE,
        lambda m, x: m.stack([(x @ x).norm() for _ in TIMES]),
        {"numpy": 1 / 0.9},
        lambda _, x: np.stack([np.linalg.norm(x @ x) for _ in TIMES]),
    ),
    "…, all products kept alive": Case(
        EXERCISE, lambda _, x: [x @ x for _ in TIMES][-1], {"numpy": 2}
    ),
}
GROUPS = {
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "matmul": PRODUCTS,
    "exercises": EXERCISES,
    "one thread": ONE_THREAD,
}


def calls_for(work: Callable[[], Any]) -> int:
    """Warms up; how many calls last about SAMPLE_NS."""
    calls, begin = 0, perf_counter_ns()
    while calls < 3 or perf_counter_ns() - begin < WARM_UP_NS:
        work()
        calls += 1
    return max(1, math.ceil(SAMPLE_NS * calls / (perf_counter_ns() - begin)))


def samples(work: Callable[[], Any]) -> list[float]:
    """Nanoseconds of a call, several times."""
    calls = calls_for(work)
    times: list[float] = []
    start = perf_counter_ns()
    while len(times) < MOST_SAMPLES and (
        len(times) < FEWEST_SAMPLES or perf_counter_ns() - start < BUDGET_NS
    ):
        begin = perf_counter_ns()
        for _ in range(calls):
            work()
        times.append((perf_counter_ns() - begin) / calls)
    return times


def main(library: str, group: str, threads: int) -> None:
    if library != "numpy":
        importlib.import_module(library).set_num_threads(threads)
    cases = GROUPS[group].items()
    print(
        json.dumps({k: samples(c.in_library(library)) for k, c in cases if library in c.libraries})
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

"""Chains of elementwise operators beside torch.compile, JAX and numexpr: docs/chains.md, Yardstick.

`python benchmarks/chains.py` prints Markdown; `--out FILE` writes it too. Each library runs in a
process of its own, without OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE; its first call is timed alone,
and its results are compared with NumPy's in float64. Libraries that are not installed are named.

A chain's first call there finds the memory that the chains before it have left, which is more where
they ran operator by operator. `--first` compares first calls of gpukit alike: each in a process of
its own, in which as much memory has been used before.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
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

import numpy as np

ROW, ROUNDS, LIMIT_S, TOLERANCE = 1000, 15, 600, 1e-4
# gpukit's own twice: as written, and compiled. `copy` is what the memory allows.
LIBRARIES = ("gpukit", "gpukit.compile", "torch", "torch.compile", "jax.jit", "numexpr")
INPUTS = ("a", "b", "m", "s", "g")

# The chains in the words that all libraries are given; those of numexpr are its own, below.
SOURCE = """
def copy(a, b, m, s, g):
    return a + 0.0

def polynomial(a, b, m, s, g):
    return ((a * 0.5 + 1.0) * a - 0.25) * a + 2.0

def gate(a, b, m, s, g):
    return sigmoid(1.5 * a + b) * tanh(b)

def adam(a, b, m, s, g):
    mean = 0.9 * m + 0.1 * g
    square = 0.999 * s + 0.001 * g * g
    return a - 0.001 * (mean / 0.1) / (sqrt(square / 0.001) + 1e-8), mean, square

def gelu_norm(a, b, m, s, g):
    return layer_norm(gelu(a.reshape(-1, 1000)), (1000,))

def loss(a, b, m, s, g):
    return cross_entropy(a.reshape(-1, 1000), classes)

def squared_diff(a, b, m, s, g):
    return (a - b) * (a - b)

def comparison(a, b, m, s, g):
    return a * b - 4.1 * a > 2.5 * b

def functions(a, b, m, s, g):
    return sin(a) + asinh(a / b)

def mean_square(a, b, m, s, g):
    return ((a - b) * (a - b)).mean()

def row_norms(a, b, m, s, g):
    x = a.reshape(-1, 1000)
    return row_norm(tanh(x * 1.5) + x)

def softmax_written(a, b, m, s, g):
    x = a.reshape(-1, 1000)
    power = exp(x * 2.0 - row_max(x * 2.0))
    return power / row_sum(power)
"""
TITLES = {
    "copy": "copy (the limit)",
    "polynomial": "polynomial, 6 operations",
    "gate": "sigmoid(1.5a+b) tanh(b)",
    "adam": "Adam written out",
    "gelu_norm": "gelu, layer norm",
    "loss": "softmax cross-entropy",
    "squared_diff": "(a-b)(a-b): CuPy's example of fuse",
    "comparison": "ab-4.1a > 2.5b: numexpr's example",
    "functions": "sin(a)+arcsinh(a/b): numexpr's example",
    "mean_square": "mean of (a-b)(a-b)",
    "row_norms": "norms of rows of tanh(1.5a)+a",
    "softmax_written": "softmax written out",
}
TEXTS = {
    "copy": ["a + 0.0"],
    "polynomial": ["((a * 0.5 + 1.0) * a - 0.25) * a + 2.0"],
    "gate": ["1 / (1 + exp(-(1.5 * a + b))) * tanh(b)"],
    "adam": [
        "a - 0.001 * ((0.9*m + 0.1*g) / 0.1) / (sqrt((0.999*s + 0.001*g*g) / 0.001) + 1e-8)",
        "0.9 * m + 0.1 * g",
        "0.999 * s + 0.001 * g * g",
    ],
    "squared_diff": ["(a - b) * (a - b)"],
    "comparison": ["a * b - 4.1 * a > 2.5 * b"],
    "functions": ["sin(a) + arcsinh(a / b)"],
    "mean_square": ["sum((a - b) * (a - b))"],
}

Work = Callable[[], Any]


def inputs(count: int) -> dict[str, Any]:
    """The same float32 numbers in each process."""
    draw = np.random.default_rng(0)
    made = {name: draw.random(count, dtype=np.float32) + np.float32(0.25) for name in INPUTS}
    made["a"] -= np.float32(0.75)
    return made


def functions(names: dict[str, Any]) -> dict[str, Any]:
    """The chains, with a library's names for what they call."""
    made = dict(names)
    exec(compile(SOURCE, "chains", "exec"), made)
    return {name: made[name] for name in TITLES}


def reference(values: dict[str, Any]) -> dict[str, Any]:
    """NumPy's answers in float64."""
    erf = np.vectorize(math.erf)

    def layer_norm(x: Any, _: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    names = {
        "sqrt": np.sqrt,
        "sin": np.sin,
        "tanh": np.tanh,
        "asinh": np.arcsinh,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "gelu": lambda x: x / 2 * (1 + erf(x / np.sqrt(2))),
        "layer_norm": layer_norm,
        "exp": np.exp,
        "row_norm": lambda x: np.sqrt((x * x).sum(-1)),
        "row_max": lambda x: x.max(-1, keepdims=True),
        "row_sum": lambda x: x.sum(-1, keepdims=True),
        "cross_entropy": lambda x, _: (np.log(np.exp(x).sum(-1)) - x[:, 0]).mean(),
        "classes": None,
    }
    wide = [value.astype(np.float64) for value in values.values()]
    return {name: function(*wide) for name, function in functions(names).items()}


def _torch_like(library: Any, values: dict[str, Any], wrap: Any) -> dict[str, Work]:
    layers = library.nn.functional
    names = {
        name: getattr(library, name) for name in ("sqrt", "sin", "tanh", "asinh", "sigmoid", "exp")
    }
    names |= {name: getattr(layers, name) for name in ("gelu", "layer_norm", "cross_entropy")}
    names["row_norm"] = lambda x: x.norm(dim=-1)
    names["row_max"] = lambda x: x.amax(-1, keepdim=True)
    names["row_sum"] = lambda x: x.sum(-1, keepdim=True)
    names["classes"] = library.zeros(len(values["a"]) // ROW, dtype=library.int64)
    tensors = [library.tensor(value) for value in values.values()]
    return {name: _call(wrap(function), tensors) for name, function in functions(names).items()}


def _call(function: Any, arguments: list[Any]) -> Work:
    return lambda: function(*arguments)


def _jax(values: dict[str, Any]) -> dict[str, Work]:
    import jax
    import jax.numpy as jnp

    def layer_norm(x: Any, _: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

    names = {
        "sqrt": jnp.sqrt,
        "sin": jnp.sin,
        "tanh": jnp.tanh,
        "asinh": jnp.arcsinh,
        "sigmoid": jax.nn.sigmoid,
        "gelu": lambda x: jax.nn.gelu(x, approximate=False),
        "layer_norm": layer_norm,
        "exp": jnp.exp,
        "row_norm": lambda x: jnp.linalg.norm(x, axis=-1),
        "row_max": lambda x: x.max(-1, keepdims=True),
        "row_sum": lambda x: x.sum(-1, keepdims=True),
        "cross_entropy": lambda x, c: (
            -jnp.take_along_axis(jax.nn.log_softmax(x), c[:, None], 1).mean()
        ),
        "classes": jnp.zeros(len(values["a"]) // ROW, dtype=jnp.int32),
    }
    arrays = [jnp.asarray(value) for value in values.values()]

    def waiting(function: Any) -> Any:
        compiled = jax.jit(function)
        return lambda *given: jax.block_until_ready(compiled(*given))

    return {name: _call(waiting(each), arrays) for name, each in functions(names).items()}


def _numexpr(values: dict[str, Any]) -> dict[str, Work]:
    import numexpr

    numexpr.set_num_threads(os.cpu_count() or 1)

    def work(texts: list[str]) -> Work:
        def run() -> Any:
            made = tuple(numexpr.evaluate(text, local_dict=values) for text in texts)
            if texts[0].startswith("sum"):
                return made[0] / len(values["a"])
            return made if len(made) > 1 else made[0]

        return run

    return {name: work(texts) for name, texts in TEXTS.items()}


def works(library: str, values: dict[str, Any]) -> dict[str, Work]:
    """The chains as calls of one library."""
    name = library.split(".", maxsplit=1)[0]
    if name == "jax":
        return _jax(values)
    if name == "numexpr":
        return _numexpr(values)
    module = importlib.import_module(name)
    return _torch_like(module, values, module.compile if "." in library else lambda each: each)


def _as_numpy(answer: Any) -> list[Any]:
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [np.asarray(part) for part in parts]


def measure(library: str, count: int, rounds: int, file: Path) -> None:
    """In a child: times and answers of one library, as JSON and .npz."""
    found: dict[str, Any] = {}
    answers: dict[str, Any] = {}
    for name, work in works(library, inputs(count)).items():
        started = time.perf_counter()
        try:
            answer = work()
        except Exception as error:
            found[name] = {"failed": f"{type(error).__name__}: {str(error)[:200]}"}
            continue
        first = time.perf_counter() - started
        for number, part in enumerate(_as_numpy(answer)):
            answers[f"{name}.{number}"] = part
        seconds = []
        for _ in range(rounds):
            started = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - started)
        found[name] = {"first_ms": first * 1e3, "ms": statistics.median(seconds) * 1e3}
    np.savez(file.with_suffix(".npz"), **answers)
    file.write_text(json.dumps(found), encoding="utf-8")


def judged(found: dict[str, Any], answers: Any, expected: dict[str, Any]) -> None:
    """Takes the times of wrong answers away."""
    for name, row in found.items():
        for number, wanted in enumerate(_as_numpy(expected[name])):
            if "failed" in row:
                break
            given = answers[f"{name}.{number}"]
            if wanted.dtype == bool:
                wrong = float((given != wanted).mean())  # a tie of float32 is a tie
            else:
                wrong = float(np.max(np.abs(given - wanted) / (1 + np.abs(wanted))))
            if not wrong <= TOLERANCE:
                row.clear()
                row["failed"] = f"wrong by {wrong:.2g}"


def run(library: str, options: argparse.Namespace, expected: dict[str, Any]) -> dict[str, Any]:
    """One library in a process of its own."""
    if importlib.util.find_spec(library.split(".", maxsplit=1)[0]) is None:
        return {}
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}
    }
    with tempfile.TemporaryDirectory(prefix="gpukit-chains-") as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, __file__, "--child", library, str(file)]
        command += ["--count", str(options.count), "--rounds", str(options.rounds)]
        environment["TORCHINDUCTOR_CACHE_DIR"] = folder  # the first call compiles
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, env=environment, check=False, timeout=LIMIT_S)
        if not file.exists():
            return {name: {"failed": "ended early"} for name in TITLES}
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        with np.load(file.with_suffix(".npz")) as answers:
            judged(found, answers, expected)
    return found


def first_call(library: str, name: str, count: int) -> None:
    """In a child: prints the processor time of a chain's first call in ms, and its page faults."""
    import resource

    import gpukit

    gpukit.set_num_threads(1)
    work = works(library, inputs(count))[name]
    used = [gpukit.ones(count) for _ in range(12)] + [gpukit.ones(count, dtype=gpukit.bool)]
    del used
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    started = time.process_time()
    work()
    took = time.process_time() - started
    print(took * 1e3, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


def first_calls(options: argparse.Namespace) -> str:
    """Markdown: medians of first calls of gpukit, as written and compiled in turn."""
    lines = [
        f"First calls of {options.count} float32, one thread, ms of processor time (page faults); "
        f"medians of {options.rounds} processes, in turn.",
        "",
        "| chain | gpukit | gpukit.compile | more, median of pairs |",
        "|---|--:|--:|--:|",
    ]
    for name, title in TITLES.items():
        seen: dict[str, list[tuple[float, float]]] = {"gpukit": [], "gpukit.compile": []}
        for _ in range(options.rounds):
            for library, rows in seen.items():
                command = [sys.executable, __file__, "--first-child", library, name]
                command += ["--count", str(options.count)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                took, faults = map(float, done.stdout.split())
                rows.append((took, faults))
        cells = [
            f"{statistics.median(took for took, _ in rows):.2f} "
            f"({statistics.median(faults for _, faults in rows):.0f})"
            for rows in seen.values()
        ]
        more = statistics.median(b[0] - a[0] for a, b in zip(*seen.values(), strict=True))
        lines.append(f"| {title} | {cells[0]} | {cells[1]} | {more:.2f} |")
    return "\n".join(lines)


def table(results: dict[str, dict[str, Any]], options: argparse.Namespace) -> str:
    """Markdown: the median in ms, then the first call's."""
    present = [name for name in LIBRARIES if results.get(name)]
    lines = [
        f"{options.count} float32, {os.cpu_count()} cores, {platform.processor() or 'CPU'}; "
        f"median of {options.rounds} in ms (first call in ms).",
        "",
        "| chain | " + " | ".join(present) + " |",
        "|---|" + "--:|" * len(present),
    ]
    for name, title in TITLES.items():
        cells = [_cell(results[library].get(name, {})) for library in present]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    missing = [name for name in results if name not in present]
    notes = [
        f"{library}, {TITLES[name]}: {row['failed']}"
        for library in present
        for name, row in results[library].items()
        if "failed" in row
    ]
    return "\n".join([*lines, "", f"Not installed: {', '.join(missing) or 'none'}.", *notes])


def _cell(row: dict[str, Any]) -> str:
    if "failed" in row:
        return "failed"
    return f"{row['ms']:.3g} ({row['first_ms']:.3g})" if row else "–"


def main() -> None:
    """Reads the arguments; runs all libraries or, as a child, one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4_000_000, help="elements, a multiple of 1000")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--libraries", nargs="*", default=LIBRARIES, choices=LIBRARIES)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--first", action="store_true", help="first calls of gpukit only")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--first-child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count <= 0 or options.count % ROW:
        parser.error(f"--count must be a multiple of {ROW}")
    if options.child:
        measure(options.child[0], options.count, options.rounds, Path(options.child[1]))
        return
    if options.first_child:
        first_call(*options.first_child, options.count)
        return
    if options.first:
        text = first_calls(options)
    else:
        expected = reference(inputs(options.count))
        results = {library: run(library, options, expected) for library in options.libraries}
        text = table(results, options)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How far elementary functions are from the exact values, beside NumPy's and torch's.

`python -m peers.elementary_accuracy` in tests/ prints the tables of docs/tensors.md: of real
numbers the largest distance in units in the last place of the exact value, of complex ones the
largest in units of the dtype's eps times the exact absolute value. mpmath computes the exact
values to 60 digits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import torch

import gpukit

from .special_accuracy import distance

Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Case:
    """What computes a function exactly, the arguments, and NumPy's function (None: it has none)."""

    exact: Callable[[Any], Any]
    ranges: Ranges
    numpy: Callable[[Any], Any] | None


SMALL = (-1e-3, 1e-3)
REAL = {
    "exp": Case(mpmath.exp, ((-80, 80), SMALL), np.exp),
    "exp2": Case(lambda x: mpmath.mpf(2) ** x, ((-100, 100), SMALL), np.exp2),
    "expm1": Case(mpmath.expm1, ((-20, 80), SMALL), np.expm1),
    "log": Case(mpmath.log, ((1e-30, 1e-20), (0.5, 2), (2, 1e30)), np.log),
    "log2": Case(lambda x: mpmath.log(x, 2), ((0.5, 2), (2, 1e30)), np.log2),
    "log10": Case(mpmath.log10, ((0.5, 2), (2, 1e30)), np.log10),
    "log1p": Case(mpmath.log1p, ((-0.9, 30), SMALL), np.log1p),
    "sin": Case(mpmath.sin, ((-3, 3), (-1e4, 1e4)), np.sin),
    "cos": Case(mpmath.cos, ((-3, 3), (-1e4, 1e4)), np.cos),
    "tan": Case(mpmath.tan, ((-3, 3), (-1e4, 1e4)), np.tan),
    "asin": Case(mpmath.asin, ((-1, 1), SMALL), np.arcsin),
    "acos": Case(mpmath.acos, ((-1, 1), SMALL), np.arccos),
    "atan": Case(mpmath.atan, ((-10, 10), SMALL), np.arctan),
    "sinh": Case(mpmath.sinh, ((-80, 80), SMALL), np.sinh),
    "cosh": Case(mpmath.cosh, ((-80, 80), SMALL), np.cosh),
    "tanh": Case(mpmath.tanh, ((-9, 9), SMALL), np.tanh),
    "asinh": Case(mpmath.asinh, ((-1e4, 1e4), (-2, 2), SMALL), np.arcsinh),
    "acosh": Case(mpmath.acosh, ((1.1, 2), (2, 1e4)), np.arccosh),
    "atanh": Case(mpmath.atanh, ((-0.9, 0.9), SMALL), np.arctanh),
    "sqrt": Case(mpmath.sqrt, ((0, 1e30),), np.sqrt),
    "rsqrt": Case(lambda x: 1 / mpmath.sqrt(x), ((1e-30, 1e30),), None),
    "cbrt": Case(lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), ((-1e30, 1e30),), np.cbrt),
}
COMPLEX = {
    "exp": Case(mpmath.exp, ((-20, 20),), np.exp),
    "log": Case(mpmath.log, ((-20, 20), (-2, 2)), np.log),
    "sqrt": Case(mpmath.sqrt, ((-20, 20),), np.sqrt),
    "sin": Case(mpmath.sin, ((-9, 9),), np.sin),
    "cos": Case(mpmath.cos, ((-9, 9),), np.cos),
    "tan": Case(mpmath.tan, ((-3, 3),), np.tan),
    "sinh": Case(mpmath.sinh, ((-9, 9),), np.sinh),
    "cosh": Case(mpmath.cosh, ((-9, 9),), np.cosh),
    "tanh": Case(mpmath.tanh, ((-3, 3),), np.tanh),
    "asin": Case(mpmath.asin, ((-5, 5),), np.arcsin),
    "acos": Case(mpmath.acos, ((-5, 5),), np.arccos),
    "atan": Case(mpmath.atan, ((-5, 5),), np.arctan),
    "asinh": Case(mpmath.asinh, ((-5, 5),), np.arcsinh),
    "acosh": Case(mpmath.acosh, ((-5, 5),), np.arccosh),
    "atanh": Case(mpmath.atanh, ((-5, 5),), np.arctanh),
}
# torch has no cbrt.
LIBRARIES = ("gpukit", "numpy", "torch")


def arguments(case: Case, dtype: str, count: int) -> np.ndarray:
    """`count` numbers of each range; of complex dtypes both parts are drawn from it."""
    rng = np.random.default_rng(7)
    drawn = [rng.uniform(low, high, count) for low, high in case.ranges]
    if "complex" in dtype:
        drawn = [
            part + 1j * rng.uniform(low, high, count)
            for part, (low, high) in zip(drawn, case.ranges, strict=True)
        ]
    return np.concatenate(drawn).astype(dtype)


def complex_distance(got: np.ndarray, exact: list[Any]) -> float:
    """The largest |got - exact|, in units of eps * |exact|."""
    eps = float(np.finfo(got.dtype).eps)
    return max(
        float(abs(mpmath.mpc(complex(value)) - true) / (abs(true) * eps))
        for value, true in zip(got, exact, strict=True)
    )


def distances(name: str, dtype: str, count: int) -> dict[str, float]:
    """Of each library that has the function the largest distance."""
    is_complex = "complex" in dtype
    case = (COMPLEX if is_complex else REAL)[name]
    x = arguments(case, dtype, count)
    answers = {"gpukit": getattr(gpukit, name)(gpukit.tensor(x)).numpy()}
    if case.numpy is not None:
        answers["numpy"] = case.numpy(x)
    if hasattr(torch, name):
        answers["torch"] = getattr(torch, name)(torch.tensor(x)).numpy()
    with mpmath.workdps(60):
        if is_complex:
            exact = [case.exact(mpmath.mpc(complex(value))) for value in x]
            measure = complex_distance
        else:
            exact = [case.exact(mpmath.mpf(float(value))) for value in x]
            measure = distance
        return {library: measure(answer, exact) for library, answer in answers.items()}


def table(names: dict[str, Case], dtypes: tuple[str, str], count: int) -> str:
    """A table of Markdown: a function a row, the libraries beside each other for each dtype."""
    first, second = dtypes
    lines = [
        f"| | {first}: gpukit | NumPy | torch | {second}: gpukit | NumPy | torch |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in names:
        found = [distances(name, dtype, count) for dtype in dtypes]
        cells = [
            f"{each[library]:.1f}" if library in each else "–"
            for each in found
            for library in LIBRARIES
        ]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000, help="arguments of each range")
    count = parser.parse_args().count
    print(table(REAL, ("float64", "float32"), count))
    print()
    print(table(COMPLEX, ("complex128", "complex64"), count))


if __name__ == "__main__":
    main()

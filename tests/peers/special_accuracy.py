"""How far special functions are from the exact values, beside SciPy's and torch's.

`python -m peers.special_accuracy` in tests/ prints the table of docs/tensors.md: the largest
distance in units in the last place of the exact value, which mpmath computes to 60 digits, over the
same arguments for all three.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import scipy.special
import torch

import gpukit


@dataclass(frozen=True)
class Case:
    """A function, what computes it exactly, and the arguments: ranges that are drawn from."""

    exact: Callable[[Any], Any]
    ranges: tuple[tuple[float, float], ...]
    scipy: Callable[[np.ndarray], np.ndarray]


def _normal(x: Any) -> Any:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


CASES = {
    "erf": Case(mpmath.erf, ((-6, 6), (-0.1, 0.1)), scipy.special.erf),
    "erfc": Case(mpmath.erfc, ((-6, 9), (-0.1, 0.1)), scipy.special.erfc),
    "erfinv": Case(mpmath.erfinv, ((-0.999, 0.999), (-0.01, 0.01)), scipy.special.erfinv),
    "erfcx": Case(
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x), ((-5, 9), (9, 1000)), scipy.special.erfcx
    ),
    "gammaln": Case(
        lambda x: mpmath.log(abs(mpmath.gamma(x))),
        ((3, 60), (60, 9000), (0.01, 0.9)),
        scipy.special.gammaln,
    ),
    "digamma": Case(mpmath.digamma, ((2, 50), (50, 9000), (0.01, 1.2)), scipy.special.digamma),
    "expit": Case(lambda x: 1 / (1 + mpmath.exp(-x)), ((-80, 20),), scipy.special.expit),
    "logit": Case(
        lambda x: mpmath.log(x / (1 - x)), ((0.001, 0.45), (0.55, 0.999)), scipy.special.logit
    ),
    "ndtr": Case(_normal, ((-8, 6),), scipy.special.ndtr),
    "ndtri": Case(
        lambda p: -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * p),
        ((0.001, 0.45), (0.55, 0.999)),
        scipy.special.ndtri,
    ),
    "log_ndtr": Case(lambda x: mpmath.log(_normal(x)), ((-30, 3),), scipy.special.log_ndtr),
    "i0": Case(lambda x: mpmath.besseli(0, x), ((-20, 20),), scipy.special.i0),
    "i0e": Case(
        lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), ((-90, 90),), scipy.special.i0e
    ),
    "i1": Case(lambda x: mpmath.besseli(1, x), ((-20, 20),), scipy.special.i1),
    "i1e": Case(
        lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), ((-90, 90),), scipy.special.i1e
    ),
    "entr": Case(lambda x: -x * mpmath.log(x), ((0.01, 0.9), (1.1, 50)), scipy.special.entr),
}
LIBRARIES = ("gpukit", "scipy", "torch")


def arguments(case: Case, dtype: str, count: int) -> np.ndarray:
    """`count` numbers of each range."""
    rng = np.random.default_rng(11)
    drawn = [rng.uniform(low, high, count) for low, high in case.ranges]
    return np.concatenate(drawn).astype(dtype)


def distance(got: np.ndarray, exact: list[Any]) -> float:
    """The largest, in units in the last place of the exact value."""
    worst = 0.0
    for value, true in zip(got, exact, strict=True):
        unit = np.spacing(np.abs(got.dtype.type(float(true))))
        worst = max(worst, abs(float((mpmath.mpf(float(value)) - true) / float(unit))))
    return worst


def distances(name: str, dtype: str, count: int) -> dict[str, float]:
    """Of each library the largest distance."""
    case = CASES[name]
    x = arguments(case, dtype, count)
    with mpmath.workdps(60):
        exact = [case.exact(mpmath.mpf(float(value))) for value in x]
        answers = {
            "gpukit": getattr(gpukit.special, name)(gpukit.tensor(x)).numpy(),
            "scipy": case.scipy(x),
            "torch": getattr(torch.special, name)(torch.tensor(x)).numpy(),
        }
        return {library: distance(answers[library], exact) for library in LIBRARIES}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000, help="arguments of each range")
    count = parser.parse_args().count
    print("| | float64: gpukit | SciPy | torch | float32: gpukit | SciPy | torch |")
    print("|---|---|---|---|---|---|---|")
    for name in CASES:
        cells = [
            f"{distances(name, dtype, count)[library]:.1f}"
            for dtype in ("float64", "float32")
            for library in LIBRARIES
        ]
        print(f"| `{name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

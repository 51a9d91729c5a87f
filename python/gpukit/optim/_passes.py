"""Steps of optimizers as chains: one pass over a parameter's gradient and states.

The numbers of a chain are settings that stay; what changes with each step is applied outside.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gpukit import _core
from gpukit._core import Tensor

# A parameter of so few elements stays in the caches between operators.
_FEW_ELEMENTS = 1 << 15
_MOST_PROGRAMS = 64
# `add_(x, alpha=…)` of half types rounds once, steps of a chain twice.
_DTYPES = (_core.float32, _core.float64)

# (operator, operands, number): values 0, 1, 2 are the inputs, then each step's; None is the number.
_Steps = list[tuple[str, tuple[int | None, ...], float | None]]


def adadelta(
    gradient: Tensor, square: Tensor, delta: Tensor, rho: float, eps: float
) -> tuple[Tensor, ...] | None:
    """The new means of squares of gradients and of steps, and the step; None: by operators."""
    return _run(_adadelta, gradient, (square, delta), (rho, eps))


def adamax(
    gradient: Tensor, mean: Tensor, largest: Tensor, betas: tuple[float, float], eps: float
) -> tuple[Tensor, ...] | None:
    """The new mean and largest gradient, and their quotient; None: by operators."""
    return _run(_adamax, gradient, (mean, largest), (*betas, eps))


def _run(
    make: Any, gradient: Tensor, states: tuple[Tensor, ...], numbers: tuple[float, ...]
) -> tuple[Tensor, ...] | None:
    if gradient.numel() <= _FEW_ELEMENTS or gradient.dtype not in _DTYPES:
        return None
    made: tuple[Tensor, ...] | None = make(gradient.dtype, *numbers).run([gradient, *states])
    return made


@lru_cache(_MOST_PROGRAMS)
def _adadelta(dtype: Any, rho: float, eps: float) -> Any:
    steps: _Steps = [
        ("mul", (1, None), rho),
        ("mul", (0, 0), None),
        ("mul", (4, None), 1 - rho),
        ("add", (3, 5), None),  # 6: the mean of squares
        ("add", (2, None), eps),
        ("sqrt", (7,), None),
        ("add", (6, None), eps),
        ("sqrt", (9,), None),
        ("div", (8, 10), None),
        ("mul", (11, 0), None),  # 12: the step
        ("mul", (2, None), rho),
        ("mul", (12, 12), None),
        ("mul", (14, None), 1 - rho),
        ("add", (13, 15), None),  # 16: the mean of the steps' squares
    ]
    return _core.Chain([dtype] * 3, steps, [6, 16, 12])


@lru_cache(_MOST_PROGRAMS)
def _adamax(dtype: Any, beta1: float, beta2: float, eps: float) -> Any:
    steps: _Steps = [
        ("mul", (1, None), beta1),
        ("mul", (0, None), 1 - beta1),
        ("add", (3, 4), None),  # 5: the mean
        ("mul", (2, None), beta2),
        ("abs", (0,), None),
        ("add", (7, None), eps),
        ("maximum", (6, 8), None),  # 9: the largest
        ("div", (5, 9), None),
    ]
    return _core.Chain([dtype] * 3, steps, [5, 9, 10])

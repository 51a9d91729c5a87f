"""Orthogonal polynomials by their three-term recurrences (Abramowitz and Stegun, table 22.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._arguments import number_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError

# (x, k, the polynomial of degree k, the one before) -> that of degree k + 1
Step = Callable[[Tensor, int, Tensor, Tensor], Tensor]
_MOST = 10_000


def _polynomial(name: str, first: Callable[[Tensor], Tensor], step: Step) -> Callable[..., Tensor]:
    def function(input: Tensor | float, n: Tensor | int) -> Tensor:
        x = input if isinstance(input, Tensor) else _core.tensor(number_of(name, "input", input))
        x = x if x.is_floating_point() else x.to(_core.get_default_dtype())
        degrees = n if isinstance(n, Tensor) else _core.tensor(number_of(name, "n", n))
        if isinstance(n, Tensor):
            x = x.to(_core.result_type(x, n))
        degrees = degrees.detach().to(x.device).trunc()
        if bool((degrees == float("inf")).any()):
            raise ArgumentError(f"{name}: n must be {_MOST} or less, got inf")
        degrees = _core.where(_core.isnan(degrees), -1, degrees)  # of degree NaN: 0, as in torch
        x, degrees = _core.broadcast_tensors(x, degrees)
        highest = int(degrees.max().item()) if degrees.numel() else 0
        if highest > _MOST:
            raise ArgumentError(f"{name}: n must be {_MOST} or less, got {highest}")
        before, here = _core.ones_like(x), first(x)
        result = _core.where(degrees == 0, before, _core.zeros_like(x))
        for k in range(1, highest + 1):
            result = _core.where(degrees == k, here, result)
            before, here = here, step(x, k, here, before)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {name.replace("_", " ")} of degree n, 0 for a negative one.

    Args:
        input: The places, a tensor or a number.
        n: The degrees, whole; a tensor that broadcasts, or a number.

    Raises:
        ValueError: A degree is above {_MOST}.
        TypeError: An argument is no number.

    Example:
        >>> import gpukit
        >>> gpukit.special.{name}(gpukit.zeros(1), 0)
        tensor([1.])
    """
    return function


def _chebyshev(x: Tensor, _: int, here: Tensor, before: Tensor) -> Tensor:
    return 2 * x * here - before


def _shifted(x: Tensor, _: int, here: Tensor, before: Tensor) -> Tensor:
    return 2 * (2 * x - 1) * here - before


def _at_twice(start: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: start(2 * x - 1)


def _made() -> dict[str, Any]:
    starts: dict[str, Callable[[Tensor], Tensor]] = {
        "t": lambda x: x + 0,
        "u": lambda x: 2 * x,
        "v": lambda x: 2 * x - 1,
        "w": lambda x: 2 * x + 1,
    }
    made = {}
    for kind, start in starts.items():
        name = f"chebyshev_polynomial_{kind}"
        made[name] = _polynomial(name, start, _chebyshev)
        shifted = f"shifted_{name}"
        made[shifted] = _polynomial(shifted, _at_twice(start), _shifted)
    others: dict[str, tuple[Callable[[Tensor], Tensor], Step]] = {
        "hermite_polynomial_h": (lambda x: 2 * x, lambda x, k, h, b: 2 * (x * h - k * b)),
        "hermite_polynomial_he": (lambda x: x + 0, lambda x, k, h, b: x * h - k * b),
        "laguerre_polynomial_l": (
            lambda x: 1 - x,
            lambda x, k, h, b: ((2 * k + 1 - x) * h - k * b) / (k + 1),
        ),
        "legendre_polynomial_p": (
            lambda x: x + 0,
            lambda x, k, h, b: ((2 * k + 1) * x * h - k * b) / (k + 1),
        ),
    }
    for name, (start, step) in others.items():
        made[name] = _polynomial(name, start, step)
    return made


FUNCTIONS = _made()

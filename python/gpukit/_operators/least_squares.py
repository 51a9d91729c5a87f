"""Least squares, with their derivatives."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import number_of, tensor_of
from gpukit._core import Tensor
from gpukit._operators.matrices import (
    eps_of,
    matrices_of,
    not_converged,
    raise_for,
    real_dtype,
    record,
    same_dtype,
    with_leading,
)
from gpukit._operators.matrix_functions import pinv_gradient, pseudo_inverse
from gpukit.errors import ArgumentError, ShapeError

Gradients = list[Tensor | None]

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def linalg_lstsq(
    A: Any, B: Any, rcond: Any = None, driver: Any = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Least squares: solution, residuals, rank and singular values."""
    function = "linalg.lstsq"
    a, b = matrices_of(function, "A", A), tensor_of(function, "B", B)
    same_dtype(function, ("A", a), ("B", b))
    driver = "gelsy" if driver is None else driver
    if driver not in _DRIVERS:
        raise ArgumentError(f"{function}: driver must be one of {_DRIVERS}, got {driver!r}")
    vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    b = b.unsqueeze(-1) if vector else b
    (m, n), sizes = a.shape[-2:], _broadcast(a, b)
    tolerance = eps_of(a) * max(m, n) if rcond is None else number_of(function, "rcond", rcond)
    a, b = with_leading(a, sizes), with_leading(b, sizes)
    x, rank, values, info = _core.lapack_lstsq(a.detach(), b.detach(), tolerance, driver)
    raise_for(function, info.clamp(0), not_converged)
    solution = x[..., :n, :].contiguous()
    _record_solution(solution, a, b)
    residuals = nothing = _core.empty(0, dtype=real_dtype(a), device=a.device)
    if driver != "gelsy" and m > n and (driver == "gels" or bool((rank == n).all())):
        residuals = (a @ solution - b).abs().square().sum(-2)
    ranks = _core.empty(0, dtype=_core.int64, device=a.device)
    if driver != "gels":
        ranks = rank.to(_core.int64)
    if driver not in {"gelsd", "gelss"}:
        values = nothing
    return (solution.squeeze(-1) if vector else solution), residuals, ranks, values


def _broadcast(a: Tensor, b: Tensor) -> list[int]:
    if b.ndim < 2 or a.shape[-2] != b.shape[-2]:
        raise ShapeError(
            f"linalg.lstsq: A is {a.shape} and B {b.shape}; B needs {a.shape[-2]} rows, as A has"
        )
    return list(_core.broadcast_shapes(a.shape[:-2], b.shape[:-2]))


def _record_solution(solution: Tensor, a: Tensor, b: Tensor) -> None:
    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (a, b) = gradients, saved
        assert g is not None
        inverse = pseudo_inverse("linalg.lstsq", a, None, None, False)
        return [pinv_gradient(g @ b.mH, inverse, a), inverse.mH @ g]

    record("LinalgLstsqBackward0", [solution], [a, b], [a, b], derivative)

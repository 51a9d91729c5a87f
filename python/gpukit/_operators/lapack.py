"""LAPACK's routines where the device has them, and compositions for small matrices elsewhere.

Nothing here records gradients. Matrices of more than 32 rows on a device without LAPACK raise the
device's NotSupportedError, which names `.cpu()`.
"""

from __future__ import annotations

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import ArgumentError

MOST_ROWS = 32  # a composition takes about ten operations for each row


def composes(matrices: Tensor) -> bool:
    """Whether small matrices are on a device that has no LAPACK."""
    return not matrices.is_cpu and max(matrices.shape[-2:]) <= MOST_ROWS


def lu_factor(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """LU, pivots counted from 1, info."""
    if not composes(a):
        return _core.lapack_lu_factor(a.detach())  # type: ignore[return-value]
    return _composed_lu(a.detach().clone())


def _composed_lu(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    steps, batch = min(a.shape[-2:]), list(a.shape[:-2])
    info = _core.zeros(batch, dtype=_core.int32, device=a.device)
    pivots = _core.zeros([*batch, steps], dtype=_core.int32, device=a.device)
    for j in range(steps if a.numel() else 0):
        pivot_row = _sizes(a[..., j:, j]).argmax(-1) + j
        pivots[..., j] = pivot_row + 1
        a = _exchanged(a, j, pivot_row)
        pivot = a[..., j : j + 1, j : j + 1]
        zero = pivot == 0
        info = _core.where((info == 0) & zero[..., 0, 0], j + 1, info)
        factors = a[..., j + 1 :, j : j + 1] / _core.where(zero, 1, pivot)
        a[..., j + 1 :, j : j + 1] = factors
        a[..., j + 1 :, j + 1 :] -= factors * a[..., j : j + 1, j + 1 :]
    return a, pivots, info


def _sizes(column: Tensor) -> Tensor:
    """What LAPACK looks for the largest of."""
    if column.is_complex():
        return column.real.abs() + column.imag.abs()
    return column.abs()


def _exchanged(a: Tensor, j: int, other: Tensor) -> Tensor:
    """The matrices with row j and the row of each that `other` names exchanged."""
    rows = _core.arange(a.shape[-2], device=a.device)
    other = other.unsqueeze(-1)
    order = _core.where(rows == j, other, _core.where(rows == other, j, rows))
    return a.gather(-2, order.unsqueeze(-1).expand(a.shape))


def solve(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """X of A X = B and info; sizes in front are equal."""
    if not composes(a):
        return _core.lapack_solve(a.detach(), b.detach())  # type: ignore[return-value]
    packed, pivots, info = lu_factor(a)
    return lu_solve(packed, pivots, b), info


def lu_solve(lu: Tensor, pivots: Tensor, b: Tensor, adjoint: bool = False) -> Tensor:
    """X of A X = B, or A^H X = B, of lu_factor's results; sizes in front are equal."""
    if not composes(lu):
        return _core.lapack_lu_solve(lu.detach(), pivots, b.detach(), adjoint)[0]
    lu, b = lu.detach(), b.detach()
    if not b.numel():
        return b.clone()
    rows = range(lu.shape[-1])
    if adjoint:
        b = _composed_triangular(lu.mH, b, False, False)
        b = _composed_triangular(lu.mH, b, True, True)
        for j in reversed(rows):
            b = _exchanged(b, j, pivots[..., j].to(_core.int64) - 1)
        return b
    for j in rows:
        b = _exchanged(b, j, pivots[..., j].to(_core.int64) - 1)
    b = _composed_triangular(lu, b, False, True)
    return _composed_triangular(lu, b, True, False)


def solve_triangular(a: Tensor, b: Tensor, upper: bool, unit: bool) -> Tensor:
    """X of A X = B, of one triangle of A; sizes in front are equal."""
    if not composes(a):
        return _core.lapack_solve_triangular(a.detach(), b.detach(), upper, unit)[0]
    return _composed_triangular(a.detach(), b.detach(), upper, unit)


def _composed_triangular(a: Tensor, b: Tensor, upper: bool, unit: bool) -> Tensor:
    x, n = b.clone(), a.shape[-1]
    for j in reversed(range(n)) if upper else range(n):
        rest = slice(0, j) if upper else slice(j + 1, n)
        row = x[..., j : j + 1, :]
        if not unit:
            row = row / a[..., j : j + 1, j : j + 1]
            x[..., j : j + 1, :] = row
        if rest.start < rest.stop:
            x[..., rest, :] -= a[..., rest, j : j + 1] * row
    return x


def cholesky(a: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """L of the lower triangle, or its adjoint of the upper one, info."""
    if not composes(a):
        return _core.lapack_cholesky(a.detach(), upper)  # type: ignore[return-value]
    if upper:
        lower, info = _composed_cholesky(a.detach().mH.clone())
        return lower.mH.clone(), info
    return _composed_cholesky(a.detach().clone())


def _composed_cholesky(a: Tensor) -> tuple[Tensor, Tensor]:
    info = _core.zeros(a.shape[:-2], dtype=_core.int32, device=a.device)
    for j in range(a.shape[-1] if a.numel() else 0):
        pivot = a[..., j : j + 1, j : j + 1]
        pivot = pivot.real if pivot.is_complex() else pivot
        wrong = ~(pivot > 0)
        info = _core.where((info == 0) & wrong[..., 0, 0], j + 1, info)
        column = a[..., j:, j : j + 1] / _core.where(wrong, 1, pivot).sqrt()
        a[..., j:, j : j + 1] = column
        a[..., j + 1 :, j + 1 :] -= column[..., 1:, :] * column[..., 1:, :].mH
    return a.tril(), info


def check_pivots(what: str, pivots: Tensor, rows: int) -> None:
    """Raise for a pivot that names no row."""
    wrong = pivots[(pivots < 1) | (pivots > rows)]
    if wrong.numel():
        raise ArgumentError(
            f"{what} hold {wrong[0].item()}; rows are counted from 1 to {rows}. Pass those of "
            "lu_factor"
        )


def permutation(pivots: Tensor, rows: int) -> Tensor:
    """The order of rows that the pivots make: row i of P^T A is row order[i] of A."""
    batch, steps = list(pivots.shape[:-1]), pivots.shape[-1]
    orders = []
    for exchanged in pivots.reshape(-1, steps).tolist() if pivots.numel() else []:
        order = list(range(rows))
        for j, pivot in enumerate(exchanged):
            order[j], order[pivot - 1] = order[pivot - 1], order[j]
        orders.append(order)
    if not orders:
        made = _core.arange(rows, device=pivots.device)
        return made.expand([*batch, rows])
    return _core.tensor(orders, dtype=_core.int64, device=pivots.device).reshape([*batch, rows])

"""Triangular systems and Cholesky factors, with their derivatives."""

from __future__ import annotations

from typing import Any

from gpukit._core import Tensor
from gpukit._operators import lapack
from gpukit._operators.matrices import (
    check_rows,
    flag_of,
    identity,
    leading,
    matrices_of,
    raise_for,
    record,
    same_dtype,
    square_of,
    with_leading,
)

Gradients = list[Tensor | None]


def triangular(a: Tensor, b: Tensor, upper: bool, unit: bool = False) -> Tensor:
    """X of A X = B of a triangle, recorded. Sizes in front broadcast."""
    sizes = leading(a, b)
    x = lapack.solve_triangular(with_leading(a, sizes), with_leading(b, sizes), upper, unit)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (a, x) = gradients, saved
        assert g is not None
        g_right = triangular(a.mT, g, not upper, unit)
        g_left = -(g_right @ x.mT)
        g_left = g_left.triu(int(unit)) if upper else g_left.tril(-int(unit))
        return [g_left, g_right]

    record("LinalgSolveTriangularBackward0", [x], [a, b], [a, x], derivative)
    return x


def linalg_solve_triangular(
    A: Any, B: Any, upper: Any = None, left: Any = True, unitriangular: Any = False
) -> Tensor:
    """X of a triangle."""
    function = "linalg.solve_triangular"
    if upper is None:
        raise TypeError(f"{function}: argument 'upper' is missing; give True or False")
    a, b = square_of(function, "A", A), matrices_of(function, "B", B)
    same_dtype(function, ("A", a), ("B", b))
    is_upper = flag_of(function, "upper", upper)
    unit = flag_of(function, "unitriangular", unitriangular)
    if flag_of(function, "left", left):
        check_rows(function, "A", a, b, -2)
        return triangular(a, b, is_upper, unit)
    check_rows(function, "A", a, b, -1)
    return triangular(a.mT, b.mT, not is_upper, unit).mT


def triangular_solve(
    input: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False
) -> tuple[Tensor, Tensor]:
    """X of a triangle, torch's older form."""
    function = "triangular_solve"
    b, a = matrices_of(function, "input", input), square_of(function, "A", A)
    same_dtype(function, ("input", b), ("A", a))
    is_upper = flag_of(function, "upper", upper)
    transposed = flag_of(function, "transpose", transpose)
    unit = flag_of(function, "unitriangular", unitriangular)
    check_rows(function, "A", a, b, -2, "input")
    wide = with_leading(a, leading(a, b)).clone()
    return triangular(a.mT if transposed else a, b, is_upper != transposed, unit), wide


def factor_and_info(a: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """L, or its transpose of the upper triangle, and info, recorded."""
    if upper:
        lower, info = factor_and_info(a.mT, False)
        return lower.mT, info
    lower, info = lapack.cholesky(a)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (lower,) = gradients, saved
        assert g is not None
        phi = (lower.mT @ g).tril()
        phi = (phi + phi.tril(-1).mT) * 0.5
        half = triangular(lower.mT, phi, True)
        return [triangular(lower.mT, half.mT, True)]

    record("LinalgCholeskyExBackward0", [lower], [a], [lower], derivative)
    return lower, info


def _not_positive(code: int) -> str:
    return (
        "the factorization could not be completed because the input is not positive-definite: "
        f"the leading minor of order {code} is not positive. Add a multiple of the identity, or "
        "use linalg.eigh"
    )


def _cholesky(function: str, name: str, A: Any, upper: Any) -> Tensor:
    matrices = square_of(function, name, A)
    factor, info = factor_and_info(matrices, flag_of(function, "upper", upper))
    raise_for(function, info, _not_positive)
    return factor


def linalg_cholesky(A: Any, upper: Any = False) -> Tensor:
    """L of A = L L^T."""
    return _cholesky("linalg.cholesky", "A", A, upper)


def cholesky(input: Any, upper: Any = False) -> Tensor:
    """L of A = L L^T."""
    return _cholesky("cholesky", "input", input, upper)


def linalg_cholesky_ex(
    A: Any, upper: Any = False, check_errors: Any = False
) -> tuple[Tensor, Tensor]:
    """L of A = L L^T, and info."""
    function = "linalg.cholesky_ex"
    matrices = square_of(function, "A", A)
    factor, info = factor_and_info(matrices, flag_of(function, "upper", upper))
    if flag_of(function, "check_errors", check_errors):
        raise_for(function, info, _not_positive)
    return factor, info


def cholesky_solve(input: Any, input2: Any, upper: Any = False) -> Tensor:
    """X of A X = input, of A's factor."""
    b = matrices_of("cholesky_solve", "input", input)
    factor = square_of("cholesky_solve", "input2", input2)
    same_dtype("cholesky_solve", ("input", b), ("input2", factor))
    check_rows("cholesky_solve", "input2", factor, b, -2, "input")
    lower = factor.mT if flag_of("cholesky_solve", "upper", upper) else factor
    return triangular(lower.mT, triangular(lower, b, False), True)


def cholesky_inverse(input: Any, upper: Any = False) -> Tensor:
    """The inverse of A, of its factor."""
    factor = square_of("cholesky_inverse", "input", input)
    lower = factor.mT if flag_of("cholesky_inverse", "upper", upper) else factor
    unit = with_leading(identity(factor.shape[-1], factor), factor.shape[:-2])
    return triangular(lower.mT, triangular(lower, unit, False), True)

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
        g_right = triangular(a.mH, g, not upper, unit)
        g_left = -(g_right @ x.mH)
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
    """L, or its adjoint of the upper triangle, and info, recorded."""
    factor, info = lapack.cholesky(a, upper)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (factor,) = gradients, saved
        assert g is not None
        lower, g = (factor.mH, g.mH) if upper else (factor, g)
        phi = (lower.mH @ g).tril()
        phi = (phi + phi.tril(-1).mH) * 0.5
        half = triangular(lower.mH, phi, True)
        return [triangular(lower.mH, half.mH, True).mH]

    record("LinalgCholeskyExBackward0", [factor], [a], [factor], derivative)
    return factor, info


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
    """L of A = L L^H."""
    return _cholesky("linalg.cholesky", "A", A, upper)


def cholesky(input: Any, upper: Any = False) -> Tensor:
    """L of A = L L^H."""
    return _cholesky("cholesky", "input", input, upper)


def linalg_cholesky_ex(
    A: Any, upper: Any = False, check_errors: Any = False
) -> tuple[Tensor, Tensor]:
    """L of A = L L^H, and info."""
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
    return _solved(b, factor, flag_of("cholesky_solve", "upper", upper))


def _solved(b: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """X of A X = B, recorded as torch does: the other triangle of the factor has a gradient too."""
    lower = factor.detach().mH if upper else factor.detach()
    x = triangular(lower.mH, triangular(lower, b.detach(), False), True)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (factor, x) = gradients, saved
        assert g is not None
        g_right = _solved(g, factor, upper)
        return [g_right, _factor_gradient(-(g_right @ x.mH), factor, upper)]

    record("CholeskySolveBackward0", [x], [b, factor], [factor, x], derivative)
    return x


def _factor_gradient(g: Tensor, factor: Tensor, upper: bool) -> Tensor:
    """The gradient of a factor of that of the product A."""
    both = g + g.mH
    return factor @ both if upper else both @ factor


def cholesky_inverse(input: Any, upper: Any = False) -> Tensor:
    """The inverse of A, of its factor."""
    factor = square_of("cholesky_inverse", "input", input)
    return _inverse_of(factor, flag_of("cholesky_inverse", "upper", upper))


def _inverse_of(factor: Tensor, upper: bool) -> Tensor:
    known = factor.detach()
    lower = known.mH if upper else known
    unit = with_leading(identity(known.shape[-1], known), known.shape[:-2])
    inverse = triangular(lower.mH, triangular(lower, unit, False), True)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (factor, inverse) = gradients, saved
        assert g is not None
        return [_factor_gradient(-(inverse @ g @ inverse), factor, upper)]

    record("CholeskyInverseBackward0", [inverse], [factor], [factor, inverse], derivative)
    return inverse

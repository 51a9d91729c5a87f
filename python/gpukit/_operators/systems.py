"""Systems of equations and determinants by LU, with their derivatives."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._operators import lapack
from gpukit._operators.matrices import (
    check_rows,
    diagonals,
    eps_of,
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
from gpukit._operators.triangles import triangular
from gpukit.errors import DTypeError, ShapeError

Gradients = list[Tensor | None]


def _singular(what: str) -> Any:
    return lambda code: (
        f"{what} because the input matrix is singular: the pivot {code} is zero. Use linalg.pinv "
        "or linalg.lstsq for it"
    )


# ---- LU ----


def factored(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """LU, pivots and info, recorded."""
    lu, pivots, info = lapack.lu_factor(a)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (_, lu) = gradients, saved
        assert g is not None
        return [_lu_gradient(g, lu, pivots)]

    record("LinalgLuFactorExBackward0", [lu], [a], [a, lu], derivative)
    return lu, pivots, info


def _lu_gradient(gradient: Tensor, lu: Tensor, pivots: Tensor) -> Tensor:
    """The gradient of A of the gradient of LU in one matrix, square, wide or tall."""
    m, n = lu.shape[-2:]
    k = min(m, n)
    lower, upper = lu[..., :, :k].tril(-1), lu[..., :k, :].triu()
    lower = lower + _core.eye(m, k, dtype=lu.dtype, device=lu.device)
    g_lower, g_upper = gradient[..., :, :k].tril(-1), gradient[..., :k, :].triu()
    l1, u1 = lower[..., :k, :], upper[..., :, :k]
    phi = (l1.mH @ g_lower[..., :k, :]).tril(-1) + (g_upper[..., :, :k] @ u1.mH).triu()
    if m < n:
        phi = phi - (g_upper[..., :, k:] @ upper[..., :, k:].mH).tril(-1)
        first = _left_solved(l1, triangular(u1, phi.mH, True).mH)
        found = _core.cat([first, _left_solved(l1, g_upper[..., :, k:])], -1)
    elif m > n:
        phi = phi - (lower[..., k:, :].mH @ g_lower[..., k:, :]).triu()
        first = _left_solved(l1, triangular(u1, phi.mH, True).mH)
        found = _core.cat([first, triangular(u1, g_lower[..., k:, :].mH, True).mH], -2)
    else:
        found = _left_solved(l1, triangular(u1, phi.mH, True).mH)
    return permuted(found, pivots)


def _left_solved(lower: Tensor, b: Tensor) -> Tensor:
    """The adjoint of a unit lower triangle solved."""
    return triangular(lower.mH, b, True, True)


def permuted(rows: Tensor, pivots: Tensor, back: bool = False) -> Tensor:
    """P times the rows, or its transpose times them."""
    order = lapack.permutation(pivots, rows.shape[-2])
    if not back:
        order = order.argsort(-1)
    return rows.gather(-2, order.unsqueeze(-1).expand(rows.shape))


def _check_pivot(function: str, pivot: Any) -> None:
    if not flag_of(function, "pivot", pivot):
        raise NotImplementedError(
            f"{function}: LU without pivoting is unstable and not implemented; leave pivot out"
        )


def _u_is_singular(code: int) -> str:
    return f"U[{code - 1}, {code - 1}] is zero, so that lu_solve would divide by zero"


def linalg_lu_factor(A: Any, pivot: Any = True) -> tuple[Tensor, Tensor]:
    """LU and pivots."""
    matrices = matrices_of("linalg.lu_factor", "A", A)
    _check_pivot("linalg.lu_factor", pivot)
    lu, pivots, info = factored(matrices)
    raise_for("linalg.lu_factor", info, _u_is_singular)
    return lu, pivots


def linalg_lu_factor_ex(
    A: Any, pivot: Any = True, check_errors: Any = False
) -> tuple[Tensor, Tensor, Tensor]:
    """LU, pivots and info."""
    matrices = matrices_of("linalg.lu_factor_ex", "A", A)
    _check_pivot("linalg.lu_factor_ex", pivot)
    lu, pivots, info = factored(matrices)
    if flag_of("linalg.lu_factor_ex", "check_errors", check_errors):
        raise_for("linalg.lu_factor_ex", info, _u_is_singular)
    return lu, pivots, info


def lu(input: Any, pivot: Any = True, get_infos: Any = False) -> tuple[Tensor, ...]:
    """LU and pivots, torch's older form."""
    matrices = matrices_of("lu", "input", input)
    _check_pivot("lu", pivot)
    packed, pivots, info = factored(matrices)
    if flag_of("lu", "get_infos", get_infos):
        return packed, pivots, info
    raise_for("lu", info, _u_is_singular)
    return packed, pivots


def linalg_lu(A: Any, pivot: Any = True) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U."""
    matrices = matrices_of("linalg.lu", "A", A)
    _check_pivot("linalg.lu", pivot)
    packed, pivots, _ = factored(matrices)
    return _unpacked(packed, pivots)


def _unpacked(packed: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    m, n = packed.shape[-2:]
    k = min(m, n)
    unit = _core.eye(m, k, dtype=packed.dtype, device=packed.device)
    lower = packed[..., :, :k].tril(-1) + unit
    return _matrix_of(pivots, packed), lower, packed[..., :k, :].triu()


def _matrix_of(pivots: Tensor, like: Tensor) -> Tensor:
    m = like.shape[-2]
    rows = with_leading(identity(m, like), like.shape[:-2])
    return permuted(rows, pivots)


def lu_unpack(
    LU_data: Any, LU_pivots: Any, unpack_data: Any = True, unpack_pivots: Any = True
) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U of packed factors."""
    packed = matrices_of("lu_unpack", "LU_data", LU_data)
    pivots = _pivots_of("lu_unpack", "LU_pivots", LU_pivots, packed)
    nothing = _core.empty(0, dtype=packed.dtype, device=packed.device)
    p = lower = upper = nothing
    if flag_of("lu_unpack", "unpack_data", unpack_data):
        m, n = packed.shape[-2:]
        k = min(m, n)
        lower = packed[..., :, :k].tril(-1)
        lower = lower + _core.eye(m, k, dtype=packed.dtype, device=packed.device)
        upper = packed[..., :k, :].triu()
    if flag_of("lu_unpack", "unpack_pivots", unpack_pivots):
        lapack.check_pivots("lu_unpack: LU_pivots", pivots, packed.shape[-2])
        p = _matrix_of(pivots, packed.detach())
    return p, lower, upper


def _pivots_of(function: str, name: str, value: Any, lu: Tensor) -> Tensor:
    pivots = tensor_of(function, name, value)
    wanted = (*lu.shape[:-2], min(lu.shape[-2:]))
    if pivots.dtype is not _core.int32 or pivots.shape != wanted:
        raise (DTypeError if pivots.dtype is not _core.int32 else ShapeError)(
            f"{function}: {name} is {pivots.dtype.name} of {pivots.shape}; int32 of {wanted} is "
            "needed, as lu_factor gives it"
        )
    return pivots


def _check_pivot_rows(function: str, name: str, pivots: Tensor, packed: Tensor) -> None:
    """Raise for a pivot that names no row; reads the pivots."""
    if packed.is_cpu or lapack.composes(packed):
        lapack.check_pivots(f"{function}: {name}", pivots, packed.shape[-2])


def _solved_by_lu(packed: Tensor, pivots: Tensor, b: Tensor, adjoint: bool) -> Tensor:
    """X of A X = B, or A^H X = B, for factors and right-hand sides that broadcast."""
    sizes = leading(packed, b)
    wide = pivots.expand([*sizes, pivots.shape[-1]])
    packed, b = with_leading(packed, sizes), with_leading(b, sizes)
    if not (_core.is_grad_enabled() and (packed.requires_grad or b.requires_grad)):
        return lapack.lu_solve(packed, wide, b, adjoint)
    if adjoint:
        x = triangular(packed.mH, triangular(packed.mH, b, False), True, True)
        return permuted(x, wide)
    return triangular(packed, triangular(packed, permuted(b, wide, True), False, True), True)


def linalg_lu_solve(LU: Any, pivots: Any, B: Any, left: Any = True, adjoint: Any = False) -> Tensor:
    """X of packed factors."""
    function = "linalg.lu_solve"
    packed, b = square_of(function, "LU", LU), matrices_of(function, "B", B)
    order = _pivots_of(function, "pivots", pivots, packed)
    same_dtype(function, ("LU", packed), ("B", b))
    conjugate = flag_of(function, "adjoint", adjoint)
    _check_pivot_rows(function, "pivots", order, packed)
    if flag_of(function, "left", left):
        check_rows(function, "LU", packed, b, -2)
        return _solved_by_lu(packed, order, b, conjugate)
    check_rows(function, "LU", packed, b, -1)
    return _solved_by_lu(packed, order, b.mH, not conjugate).mH


def lu_solve(input: Any, LU_data: Any, LU_pivots: Any) -> Tensor:
    """X of packed factors, torch's older order of arguments."""
    function = "lu_solve"
    b, packed = matrices_of(function, "input", input), square_of(function, "LU_data", LU_data)
    order = _pivots_of(function, "LU_pivots", LU_pivots, packed)
    same_dtype(function, ("input", b), ("LU_data", packed))
    _check_pivot_rows(function, "LU_pivots", order, packed)
    check_rows(function, "LU_data", packed, b, -2, "input")
    return _solved_by_lu(packed, order, b, False)


# ---- solving ----


def _is_vector(a: Tensor, b: Tensor) -> bool:
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


def _solution(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """X and info of A X = B of matrices, recorded."""
    sizes = leading(a, b)
    recorded = _core.is_grad_enabled() and (a.requires_grad or b.requires_grad)
    if not recorded and list(a.shape[:-2]) == sizes:
        return lapack.solve(a, with_leading(b, sizes))
    packed, pivots, info = lapack.lu_factor(a)
    wide_pivots = pivots.expand([*sizes, pivots.shape[-1]])
    wide = with_leading(packed, sizes)
    x = lapack.lu_solve(wide, wide_pivots, with_leading(b, sizes))

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (a, x) = gradients, saved
        assert g is not None
        if _core.is_grad_enabled():
            g_right = _solution(a.mH, g)[0]
        else:
            g_right = lapack.lu_solve(wide, wide_pivots, g, True)
        return [-(g_right @ x.mH), g_right]

    record("LinalgSolveExBackward0", [x], [a, b], [a, x], derivative)
    return x, info


def _solve(function: str, A: Any, B: Any, left: Any) -> tuple[Tensor, Tensor]:
    a = square_of(function, "A", A)
    b = tensor_of(function, "B", B)
    same_dtype(function, ("A", a), ("B", b))
    vector = _is_vector(a, b)
    if b.ndim == 0 or (not vector and b.ndim < 2):
        raise ShapeError(f"{function}: B is {b.shape}; it needs a dimension or more")
    if flag_of(function, "left", left):
        b = b.unsqueeze(-1) if vector else b
        check_rows(function, "A", a, b, -2)
        x, info = _solution(a, b)
    elif vector:
        raise ShapeError(f"{function}: B is {b.shape}; with left=False it must have matrices")
    else:
        check_rows(function, "A", a, b, -1)
        x, info = _solution(a.mT, b.mT)
        x = x.mT
    return (x.squeeze(-1) if vector else x), info


def linalg_solve(A: Any, B: Any, left: Any = True) -> Tensor:
    """X of A X = B."""
    x, info = _solve("linalg.solve", A, B, left)
    raise_for("linalg.solve", info, _singular("there is no solution"))
    return x


def linalg_solve_ex(
    A: Any, B: Any, left: Any = True, check_errors: Any = False
) -> tuple[Tensor, Tensor]:
    """X of A X = B, and info."""
    x, info = _solve("linalg.solve_ex", A, B, left)
    if flag_of("linalg.solve_ex", "check_errors", check_errors):
        raise_for("linalg.solve_ex", info, _singular("there is no solution"))
    return x, info


def inverse_and_info(a: Tensor) -> tuple[Tensor, Tensor]:
    """The inverse and info, recorded."""
    packed, pivots, info = lapack.lu_factor(a)
    unit = with_leading(identity(a.shape[-1], a), a.shape[:-2])
    x = lapack.lu_solve(packed, pivots, unit)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (x,) = gradients, saved
        assert g is not None
        return [-(x.mH @ (g @ x.mH))]

    record("LinalgInvExBackward0", [x], [a], [x], derivative)
    return x, info


def _inverse(function: str, name: str, A: Any) -> Tensor:
    x, info = inverse_and_info(square_of(function, name, A))
    raise_for(function, info, _singular("the inverse does not exist"))
    return x


def linalg_inv(A: Any) -> Tensor:
    """The inverse."""
    return _inverse("linalg.inv", "A", A)


def inverse(input: Any) -> Tensor:
    """The inverse, torch's older name."""
    return _inverse("inverse", "input", input)


def linalg_inv_ex(A: Any, check_errors: Any = False) -> tuple[Tensor, Tensor]:
    """The inverse and info."""
    x, info = inverse_and_info(square_of("linalg.inv_ex", "A", A))
    if flag_of("linalg.inv_ex", "check_errors", check_errors):
        raise_for("linalg.inv_ex", info, _singular("the inverse does not exist"))
    return x, info


# ---- determinants ----


def _sign_of(pivots: Tensor, dtype: Any) -> Tensor:
    """1 or -1, by the number of rows that were exchanged."""
    rows = _core.arange(1, pivots.shape[-1] + 1, device=pivots.device)
    exchanged = (pivots.to(_core.int64) != rows).sum(-1)
    return (1 - 2 * (exchanged % 2)).to(dtype)


def _determinant(a: Tensor) -> Tensor:
    packed, pivots, _ = lapack.lu_factor(a)
    found = diagonals(packed).prod(-1) * _sign_of(pivots, a.dtype)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (g,), (a, det) = gradients, saved
        assert g is not None
        scale = (g * det.conj()).unsqueeze(-1).unsqueeze(-1)
        unit = identity(a.shape[-1], a)
        if _core.is_grad_enabled():
            shift = _core.where(det == 0, eps_of(a), 0.0).unsqueeze(-1).unsqueeze(-1)
            return [scale * _solution(a.mH + shift * unit, with_leading(unit, a.shape[:-2]))[0]]
        # A determinant has a derivative where it is 0: that of a matrix nearby.
        zero = _core.where(diagonals(packed) == 0, eps_of(a), 0.0)
        nearby = packed + zero.unsqueeze(-1) * unit
        product = diagonals(nearby).prod(-1) * _sign_of(pivots, a.dtype)
        scale = (g * product.conj()).unsqueeze(-1).unsqueeze(-1)
        return [lapack.lu_solve(nearby, pivots, scale * unit, True)]

    record("LinalgDetBackward0", [found], [a], [a, found], derivative)
    return found


def linalg_det(A: Any) -> Tensor:
    """The determinant."""
    return _determinant(square_of("linalg.det", "A", A))


def det(input: Any) -> Tensor:
    """The determinant."""
    return _determinant(square_of("det", "input", input))


def _sign_and_log(a: Tensor) -> tuple[Tensor, Tensor]:
    packed, pivots, _ = lapack.lu_factor(a)
    diagonal = diagonals(packed)
    sign = diagonal.sgn().prod(-1) * _sign_of(pivots, a.dtype)
    log = diagonal.abs().log().sum(-1)
    shape = log.shape  # the closure keeps no output: that would be a cycle

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (a, sign), (g_sign, g_log) = saved, gradients
        g = _core.zeros(shape, device=a.device) if g_log is None else g_log
        if g_sign is not None and a.is_complex():
            if _core.is_grad_enabled():
                sign = _sign_and_log(a)[0]
            g = g - (g_sign.conj() * sign).imag * 1j
        right = g.unsqueeze(-1).unsqueeze(-1) * identity(a.shape[-1], a)
        if _core.is_grad_enabled():
            return [_solution(a.mH, right)[0]]
        return [lapack.lu_solve(packed, pivots, right, True)]

    if a.is_complex():
        record("LinalgSlogdetBackward0", [sign, log], [a], [a, sign], derivative)
    else:  # the sign is constant
        real = sign.detach()
        record(
            "LinalgSlogdetBackward0",
            [log],
            [a],
            [a],
            lambda saved, gradients: derivative([*saved, real], [None, *gradients]),
        )
    return sign, log


def linalg_slogdet(A: Any) -> tuple[Tensor, Tensor]:
    """The determinant's sign and the logarithm of its absolute value."""
    return _sign_and_log(square_of("linalg.slogdet", "A", A))


def slogdet(input: Any) -> tuple[Tensor, Tensor]:
    """The determinant's sign and the logarithm of its absolute value."""
    return _sign_and_log(square_of("slogdet", "input", input))


def logdet(input: Any) -> Tensor:
    """The logarithm of the determinant; of a negative real one NaN."""
    sign, log = _sign_and_log(square_of("logdet", "input", input))
    if sign.is_complex():
        return log + sign.log()
    return _core.where(sign == -1, float("nan"), log)

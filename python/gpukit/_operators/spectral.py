"""QR, eigenvalues, singular values and least squares, with their derivatives."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._operators.matrices import (
    diagonals,
    flag_of,
    identity,
    matrices_of,
    not_converged,
    raise_for,
    record,
    same_dtype,
    square_of,
    with_leading,
)
from gpukit._operators.systems import linalg_solve
from gpukit._operators.triangles import triangular
from gpukit.errors import ArgumentError, AutogradError, ShapeError

Gradients = list[Tensor | None]

# A node of several outputs saves its inputs; where the pass is recorded, its formula computes the
# outputs again from them, so that second derivatives reach the inputs. Those then depend on two
# nodes, each of which may depend on the phases of vectors though both together do not: only a node
# that is alone checks them.


# ---- QR ----


def geqrf(input: Any) -> tuple[Tensor, Tensor]:
    """Reflectors and their factors."""
    a, tau = _core.lapack_geqrf(matrices_of("geqrf", "input", input).detach())
    return a, tau


def _householder(function: str, names: tuple[str, str], A: Any, tau: Any) -> Tensor:
    a, factors = matrices_of(function, names[0], A), tensor_of(function, names[1], tau)
    same_dtype(function, (names[0], a), (names[1], factors))
    (m, n), k = a.shape[-2:], factors.shape[-1] if factors.ndim else -1
    if factors.shape != (*a.shape[:-2], k) or not m >= n >= k >= 0:
        raise ShapeError(
            f"{function}: {names[0]} is {a.shape} and {names[1]} {factors.shape}; (..., m, n) and "
            "(..., k) with m >= n >= k are needed"
        )
    if _core.is_grad_enabled() and (a.requires_grad or factors.requires_grad):
        q = with_leading(identity(m, a), a.shape[:-2])[..., :, :n]
        for i in reversed(range(k)):  # recorded step by step
            below = a[..., i + 1 :, i : i + 1]
            one = _core.ones([*a.shape[:-2], 1, 1], dtype=a.dtype, device=a.device)
            zeros = _core.zeros([*a.shape[:-2], i, 1], dtype=a.dtype, device=a.device)
            v = _core.cat([zeros, one, below], -2)
            q = q - factors[..., i : i + 1].unsqueeze(-1) * (v @ (v.mH @ q))
        return q
    return _core.lapack_householder_product(a, factors)[0]


def linalg_householder_product(A: Any, tau: Any) -> Tensor:
    """Q of reflectors."""
    return _householder("linalg.householder_product", ("A", "tau"), A, tau)


def orgqr(input: Any, input2: Any) -> Tensor:
    """Q of reflectors."""
    return _householder("orgqr", ("input", "input2"), input, input2)


def _factors(a: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    m, n = a.shape[-2:]
    k = min(m, n)
    reflectors, tau = _core.lapack_geqrf(a.detach())
    width = m if mode == "complete" else k
    r = reflectors[..., :width, :].triu()
    if mode == "r":
        return _core.empty(0, dtype=a.dtype, device=a.device), r
    if k == 0:
        unit = _core.eye(m, width, dtype=a.dtype, device=a.device)
        return with_leading(unit, a.shape[:-2]).clone(), r
    columns = reflectors[..., :, :k]
    if width > k:
        more = _core.zeros([*a.shape[:-2], m, width - k], dtype=a.dtype, device=a.device)
        columns = _core.cat([columns, more], -1)
    return _core.lapack_householder_product(columns, tau)[0], r


def orthogonal_and_triangle(a: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Q and R, recorded."""
    q, r = _factors(a, mode)
    outputs = [r] if mode == "r" else [q, r]

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        if mode == "r":
            raise AutogradError(
                "linalg.qr: the derivative depends on Q, which mode='r' does not compute. Use "
                "mode='reduced'"
            )
        m, n = a_shape
        if mode == "complete" and m > n:
            raise AutogradError(
                "linalg.qr: mode='complete' has no derivative for matrices with more rows than "
                "columns. Use mode='reduced'"
            )
        (a,) = saved
        factors = orthogonal_and_triangle(a, mode) if _core.is_grad_enabled() else kept
        return [_qr_gradient(*factors, *gradients)]

    a_shape, kept = a.shape[-2:], (q.detach(), r.detach())
    record("LinalgQrBackward0", outputs, [a], [a], derivative)
    return q, r


def _qr_gradient(q: Tensor, r: Tensor, g_q: Tensor | None, g_r: Tensor | None) -> Tensor:
    m, n = q.shape[-2], r.shape[-1]
    g_q = _core.zeros_like(q) if g_q is None else g_q
    g_r = _core.zeros_like(r) if g_r is None else g_r
    if m >= n:
        return _tall_gradient(q, r, g_q, g_r)
    rest, g_rest = r[..., :, m:], g_r[..., :, m:]
    g_q = g_q + (q @ rest) @ g_rest.mH
    first = _tall_gradient(q, r[..., :, :m], g_q, g_r[..., :, :m])
    return _core.cat([first, q @ g_rest], -1)


def _tall_gradient(q: Tensor, r: Tensor, g_q: Tensor, g_r: Tensor) -> Tensor:
    middle = (g_r @ r.mH - q.mH @ g_q).triu()
    if middle.is_complex():  # the diagonal of R is real
        unit = identity(r.shape[-1], r)
        middle = middle.triu(1) + unit * diagonals(middle).real.unsqueeze(-1)
    middle = middle + middle.triu(1).mH
    return triangular(r, (q @ middle + g_q).mH, True).mH


def linalg_qr(A: Any, mode: Any = "reduced") -> tuple[Tensor, Tensor]:
    """Q and R."""
    matrices = matrices_of("linalg.qr", "A", A)
    if mode not in {"reduced", "complete", "r"}:
        raise ArgumentError(f"linalg.qr: mode must be 'reduced', 'complete' or 'r', got {mode!r}")
    return orthogonal_and_triangle(matrices, mode)


def qr(input: Any, some: Any = True) -> tuple[Tensor, Tensor]:
    """Q and R, torch's older form."""
    matrices = matrices_of("qr", "input", input)
    return orthogonal_and_triangle(
        matrices, "reduced" if flag_of("qr", "some", some) else "complete"
    )


# ---- eigenvalues of symmetric matrices ----


def _upper_of(function: str, UPLO: Any) -> bool:
    if not isinstance(UPLO, str) or UPLO.upper() not in {"L", "U"}:
        raise ArgumentError(f"{function}: UPLO must be 'L' or 'U', got {UPLO!r}")
    return UPLO.upper() == "U"


def symmetric_eigen(
    function: str, a: Tensor, upper: bool, alone: bool = True
) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, recorded."""
    values, vectors, info = _core.lapack_eigh(a.detach(), upper, True)
    raise_for(function, info, not_converged)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        nonlocal alone
        (a,) = saved
        found = kept
        if _core.is_grad_enabled():
            found = symmetric_eigen(function, a, upper, False)
        gradient = _eigh_gradient(found, gradients, alone)
        alone = alone and not _core.is_grad_enabled()
        return [gradient]

    kept = values.detach(), vectors.detach()  # the node's own results would be a cycle
    record("LinalgEighBackward0", [values, vectors], [a], [a], derivative)
    return values, vectors


def _check_phases(function: str, what: str, inner: Tensor) -> None:
    """Raise where a result depends on the phases of complex vectors, which are arbitrary."""
    if inner.is_complex() and not bool((diagonals(inner).imag.abs() <= 1e-2).all()):
        raise AutogradError(
            f"{function}: the {what} of complex matrices are given up to factors of absolute value "
            "1, and the function that is differentiated depends on them, so that it has no "
            "derivative. Use what is independent of them, such as abs()"
        )


def _eigh_gradient(
    found: tuple[Tensor, Tensor], gradients: Gradients, alone: bool
) -> Tensor | None:
    (values, vectors), (g_values, g_vectors) = found, gradients
    if g_vectors is None:
        if g_values is None:
            return None
        return (vectors * g_values.unsqueeze(-2)) @ vectors.mH
    unit = identity(values.shape[-1], values)
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1) + unit
    skewed = vectors.mH @ g_vectors
    if alone:
        _check_phases("linalg.eigh", "eigenvectors", skewed)
    middle = (skewed - skewed.mH) * 0.5 / gaps
    if g_values is not None:
        middle = middle + g_values.unsqueeze(-1) * unit
    return vectors @ middle @ vectors.mH


def linalg_eigh(A: Any, UPLO: Any = "L") -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    a = square_of("linalg.eigh", "A", A)
    return symmetric_eigen("linalg.eigh", a, _upper_of("linalg.eigh", UPLO))


def symmetric_values(function: str, a: Tensor, upper: bool) -> Tensor:
    """Eigenvalues of symmetric matrices, recorded."""
    if _core.is_grad_enabled() and a.requires_grad:
        return symmetric_eigen(function, a, upper)[0]
    values, _, info = _core.lapack_eigh(a.detach(), upper, False)
    raise_for(function, info, not_converged)
    return values


def linalg_eigvalsh(A: Any, UPLO: Any = "L") -> Tensor:
    """Eigenvalues of symmetric matrices."""
    a = square_of("linalg.eigvalsh", "A", A)
    return symmetric_values("linalg.eigvalsh", a, _upper_of("linalg.eigvalsh", UPLO))


# ---- eigenvalues of other matrices ----


def general_eigen(function: str, a: Tensor, alone: bool = True) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and eigenvectors, recorded."""
    values, vectors, info = _core.lapack_eig(a.detach(), True)
    raise_for(function, info, not_converged)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        nonlocal alone
        (a,) = saved
        found = kept
        if _core.is_grad_enabled():
            found = general_eigen(function, a, False)
        gradient = _eig_gradient(found, gradients, alone)
        alone = alone and not _core.is_grad_enabled()
        return [gradient if a.is_complex() or gradient is None else gradient.real]

    kept = values.detach(), vectors.detach()
    record("LinalgEigBackward0", [values, vectors], [a], [a], derivative)
    return values, vectors


def _eig_gradient(found: tuple[Tensor, Tensor], gradients: Gradients, alone: bool) -> Tensor | None:
    (values, vectors), (g_values, g_vectors) = found, gradients
    adjoint, unit = vectors.mH, identity(values.shape[-1], values)
    if g_vectors is None:
        if g_values is None:
            return None
        return linalg_solve(adjoint, g_values.unsqueeze(-1) * adjoint)
    inner = adjoint @ g_vectors
    if alone:
        _check_phases("linalg.eig", "eigenvectors", inner)
    inner = inner - (adjoint @ vectors) * diagonals(inner).real.unsqueeze(-2)
    gaps = (values.unsqueeze(-2) - values.unsqueeze(-1)).conj() + unit
    middle = inner / gaps * (1 - unit)
    if g_values is not None:
        middle = middle + g_values.unsqueeze(-1) * unit
    return linalg_solve(adjoint, middle @ adjoint)


def linalg_eig(A: Any) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors."""
    return general_eigen("linalg.eig", square_of("linalg.eig", "A", A))


def linalg_eigvals(A: Any) -> Tensor:
    """Eigenvalues."""
    a = square_of("linalg.eigvals", "A", A)
    if _core.is_grad_enabled() and a.requires_grad:
        return general_eigen("linalg.eigvals", a)[0]
    values, _, info = _core.lapack_eig(a.detach(), False)
    raise_for("linalg.eigvals", info, not_converged)
    return values


# ---- singular values ----


def singular(
    function: str, a: Tensor, full: bool, alone: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vh, recorded."""
    u, s, vh, info = _core.lapack_svd(a.detach(), full, True)
    raise_for(function, info, not_converged)
    if not a.numel():
        u, vh = _unit_like(u), _unit_like(vh)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        nonlocal alone
        (a,) = saved
        found = kept
        if _core.is_grad_enabled():
            found = singular(function, a, False, False)
        gradient = _svd_gradient(found, gradients, alone)
        alone = alone and not _core.is_grad_enabled()
        return [gradient]

    kept = u.detach(), s.detach(), vh.detach()
    record("LinalgSvdBackward0", [u, s, vh], [a], [a], derivative)
    return u, s, vh


def _unit_like(a: Tensor) -> Tensor:
    unit = _core.eye(*a.shape[-2:], dtype=a.dtype, device=a.device)
    return with_leading(unit, a.shape[:-2]).clone()


def _svd_gradient(
    found: tuple[Tensor, Tensor, Tensor], gradients: Gradients, alone: bool
) -> Tensor | None:
    u, s, vh = found
    g_u, g_s, g_vh = gradients
    m, n, k = u.shape[-2], vh.shape[-1], s.shape[-1]
    # As torch: the further columns of complete factors have no derivative.
    g_u = None if g_u is None else g_u[..., :, :k]
    g_vh = None if g_vh is None else g_vh[..., :k, :]
    u, vh = u[..., :, :k], vh[..., :k, :]
    if g_u is None and g_vh is None:
        return None if g_s is None else (u * g_s.unsqueeze(-2)) @ vh
    unit = identity(k, s)
    squares = s * s
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1) + unit
    rows, columns = s.unsqueeze(-1), s.unsqueeze(-2)
    middle = _core.zeros_like(gaps) if g_s is None else g_s.unsqueeze(-1) * unit
    zero = _core.zeros([], dtype=u.dtype, device=u.device)
    inner_u = zero if g_u is None else u.mH @ g_u
    inner_v = zero if g_vh is None else vh @ g_vh.mH
    if u.is_complex():
        if alone:
            _check_phases("linalg.svd", "singular vectors", inner_u + inner_v)
        middle = middle + ((inner_u - inner_v) * unit).imag * 0.5j / columns
    others = 1 - unit
    if g_u is not None:
        middle = middle + (inner_u - inner_u.mH) / gaps * columns * others
    if g_vh is not None:
        middle = middle + rows * ((inner_v - inner_v.mH) / gaps) * others
    result = u @ middle @ vh
    if g_u is not None and m > k:
        result = result + ((g_u - u @ inner_u) / columns) @ vh
    if g_vh is not None and n > k:
        result = result + u @ ((g_vh - (g_vh @ vh.mH) @ vh) / rows)
    return result


def _check_driver(function: str, driver: Any) -> None:
    if driver is not None:
        raise ArgumentError(f"{function}: driver {driver!r} is torch's for CUDA; leave it out")


def linalg_svd(
    A: Any, full_matrices: Any = True, driver: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vh."""
    a = matrices_of("linalg.svd", "A", A)
    _check_driver("linalg.svd", driver)
    return singular("linalg.svd", a, flag_of("linalg.svd", "full_matrices", full_matrices))


def singular_values(function: str, a: Tensor) -> Tensor:
    """Singular values, recorded."""
    if _core.is_grad_enabled() and a.requires_grad:
        return singular(function, a, False)[1]
    s, info = _core.lapack_svd(a.detach(), False, False)
    raise_for(function, info, not_converged)
    return s


def linalg_svdvals(A: Any, driver: Any = None) -> Tensor:
    """Singular values."""
    a = matrices_of("linalg.svdvals", "A", A)
    _check_driver("linalg.svdvals", driver)
    return singular_values("linalg.svdvals", a)


def svd(input: Any, some: Any = True, compute_uv: Any = True) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V, torch's older form."""
    a = matrices_of("svd", "input", input)
    full = not flag_of("svd", "some", some)
    if not flag_of("svd", "compute_uv", compute_uv):
        m, n = a.shape[-2:]
        u, v = (a.new_full([*a.shape[:-2], k, k], 0) for k in (m, n))
        return u, singular_values("svd", a), v
    u, s, vh = singular("svd", a, full)
    return u, s, vh.mH

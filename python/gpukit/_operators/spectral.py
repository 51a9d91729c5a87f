"""QR, eigenvalues, singular values and least squares, with their derivatives."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._operators.matrices import (
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
from gpukit._operators.triangles import triangular
from gpukit.errors import ArgumentError, AutogradError, ShapeError

Gradients = list[Tensor | None]

# A node of several outputs saves its inputs; where the pass is recorded, its formula computes the
# outputs again from them, so that second derivatives reach the inputs.


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
            q = q - factors[..., i : i + 1].unsqueeze(-1) * (v @ (v.mT @ q))
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
        factors = orthogonal_and_triangle(a, mode) if _core.is_grad_enabled() else (q, r)
        return [_qr_gradient(*factors, *gradients)]

    a_shape = a.shape[-2:]
    record("LinalgQrBackward0", outputs, [a], [a], derivative)
    return q, r


def _qr_gradient(q: Tensor, r: Tensor, g_q: Tensor | None, g_r: Tensor | None) -> Tensor:
    m, n = q.shape[-2], r.shape[-1]
    g_q = _core.zeros_like(q) if g_q is None else g_q
    g_r = _core.zeros_like(r) if g_r is None else g_r
    if m >= n:
        return _tall_gradient(q, r, g_q, g_r)
    rest, g_rest = r[..., :, m:], g_r[..., :, m:]
    g_q = g_q + (q @ rest) @ g_rest.mT
    first = _tall_gradient(q, r[..., :, :m], g_q, g_r[..., :, :m])
    return _core.cat([first, q @ g_rest], -1)


def _tall_gradient(q: Tensor, r: Tensor, g_q: Tensor, g_r: Tensor) -> Tensor:
    middle = (g_r @ r.mT - q.mT @ g_q).triu()
    middle = middle + middle.triu(1).mT
    return triangular(r, (q @ middle + g_q).mT, True).mT


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


def symmetric_eigen(function: str, a: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, recorded."""
    values, vectors, info = _core.lapack_eigh(a.detach(), upper, True)
    raise_for(function, info, not_converged)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (a,) = saved
        found = (values, vectors)
        if _core.is_grad_enabled():
            found = symmetric_eigen(function, a, upper)
        return [_eigh_gradient(*found, *gradients)]

    record("LinalgEighBackward0", [values, vectors], [a], [a], derivative)
    return values, vectors


def _eigh_gradient(
    values: Tensor, vectors: Tensor, g_values: Tensor | None, g_vectors: Tensor | None
) -> Tensor | None:
    if g_vectors is None:
        if g_values is None:
            return None
        return (vectors * g_values.unsqueeze(-2)) @ vectors.mT
    unit = identity(values.shape[-1], values)
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1) + unit
    skewed = vectors.mT @ g_vectors
    middle = (skewed - skewed.mT) * 0.5 / gaps
    if g_values is not None:
        middle = middle + g_values.unsqueeze(-1) * unit
    return vectors @ middle @ vectors.mT


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


# ---- singular values ----


def singular(function: str, a: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vh, recorded."""
    u, s, vh, info = _core.lapack_svd(a.detach(), full, True)
    raise_for(function, info, not_converged)
    if not a.numel():
        u, vh = _unit_like(u), _unit_like(vh)

    def derivative(saved: list[Tensor], gradients: Gradients) -> Gradients:
        (a,) = saved
        found = (u, s, vh)
        if _core.is_grad_enabled():
            found = singular(function, a, False)
        return [_svd_gradient(found, gradients)]

    record("LinalgSvdBackward0", [u, s, vh], [a], [a], derivative)
    return u, s, vh


def _unit_like(a: Tensor) -> Tensor:
    unit = _core.eye(*a.shape[-2:], dtype=a.dtype, device=a.device)
    return with_leading(unit, a.shape[:-2]).clone()


def _svd_gradient(found: tuple[Tensor, Tensor, Tensor], gradients: Gradients) -> Tensor | None:
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
    if g_u is not None:
        skewed = u.mT @ g_u
        middle = middle + (skewed - skewed.mT) / gaps * columns
    if g_vh is not None:
        skewed = vh @ g_vh.mT
        middle = middle + rows * ((skewed - skewed.mT) / gaps)
    result = u @ middle @ vh
    if g_u is not None and m > k:
        result = result + ((g_u - u @ (u.mT @ g_u)) / columns) @ vh
    if g_vh is not None and n > k:
        result = result + u @ ((g_vh - (g_vh @ vh.mT) @ vh) / rows)
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
    return u, s, vh.mT

"""Singular value decompositions of low rank, by random projections (Halko et al. 2009)."""

from __future__ import annotations

from gpukit import _core
from gpukit._arguments import bool_of, int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError


def svd_lowrank(
    A: Tensor, q: int = 6, niter: int = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the q largest singular values of a matrix, about, with their vectors.

    Args:
        A: (…, m, n), floating.
        q: How many.
        niter: Iterations of subspaces; more are more precise.
        M: A matrix that is taken off, or None.

    Raises:
        ValueError: `q` or `niter` is out of range.

    Example:
        >>> import gpukit
        >>> gpukit.svd_lowrank(gpukit.ones(3, 2), q=1)[1]
        tensor([2.4495])
    """
    x = tensor_of("svd_lowrank", "A", A)
    x = x if M is None else x - tensor_of("svd_lowrank", "M", M)
    count = int_from("svd_lowrank", "q", q, 0)
    return _decomposed("svd_lowrank", x, min(count, *x.shape[-2:]), niter)


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the q principal components of the rows of a matrix, about, as `svd_lowrank` does.

    Args:
        A: (…, m, n), floating; rows are observations.
        q: How many; None is 6, or fewer for a smaller matrix.
        center: Take the mean of each column off.
        niter: Iterations of subspaces; more are more precise.

    Raises:
        ValueError: `q` or `niter` is out of range.

    Example:
        >>> import gpukit
        >>> gpukit.pca_lowrank(gpukit.tensor([[0.0, 1.0], [2.0, 1.0]]), q=1)[1]
        tensor([1.4142])
    """
    x = tensor_of("pca_lowrank", "A", A)
    count = min(6, *x.shape[-2:]) if q is None else q
    if bool_of("pca_lowrank", "center", center):
        x = x - x.mean(-2, keepdim=True)
    return _decomposed("pca_lowrank", x, count, niter)


def _decomposed(function: str, x: Tensor, q: int, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    count = int_from(function, "q", q, 0)
    if count > min(x.shape[-2:]):
        raise ArgumentError(
            f"{function}: q must be {min(x.shape[-2:])} or less, the smaller size of the matrix, "
            f"got {count}"
        )
    rounds = int_from(function, "niter", niter, 0)
    flat = x.shape[-2] < x.shape[-1]
    tall = x.mH if flat else x
    start = _core.randn(tall.shape[-1], count, dtype=x.dtype, device=x.device)
    basis = _core.linalg_qr(tall @ start)[0]
    for _ in range(rounds):
        basis = _core.linalg_qr(tall @ _core.linalg_qr(tall.mH @ basis)[0])[0]
    u, s, vh = _core.linalg_svd(basis.mH @ tall, False)
    left, right = basis @ u, vh.mH
    return (right, s, left) if flat else (left, s, right)

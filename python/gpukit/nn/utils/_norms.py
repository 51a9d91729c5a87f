"""Weights as a length times a direction, and weights divided by their largest singular value."""

from __future__ import annotations

from gpukit import _core
from gpukit._arguments import dim_of
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.nn.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from gpukit.nn.module import Module


def lengths(weight: Tensor, dim: int) -> Tensor:
    """The norms of all that is not along dim, in a shape that broadcasts; -1 is one norm of all."""
    if dim == -1:
        return weight.norm()
    dim = dim_of("weight_norm", "dim", dim, weight.ndim)
    others = [d for d in range(weight.ndim) if d != dim]
    return (weight * weight).sum(others, keepdim=True).sqrt() if others else weight.abs()


def rows_of(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix whose rows are along dim."""
    if dim:
        weight = weight.permute(dim, *(d for d in range(weight.ndim) if d != dim))
    return weight.flatten(1)


def outputs_dim(module: Module) -> int:
    """The dimension of the outputs in a module's weight."""
    return int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))


def unit(vector: Tensor, eps: float) -> Tensor:
    return vector / vector.norm().clamp(min=eps)


def drawn(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Unit vectors to begin with."""
    u, v = (
        unit(_core.randn(size, dtype=matrix.dtype, device=matrix.device), eps)
        for size in matrix.shape
    )
    return u, v


def power_steps(matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float) -> None:
    """Turn u and v, in place, towards the singular vectors of the largest singular value."""
    with no_grad():
        for _ in range(count):
            u.copy_(unit(matrix.mv(v), eps))
            v.copy_(unit(matrix.t().mv(u), eps))


def largest_value(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return u.clone().dot(matrix.mv(v.clone()))

"""Matrices with orthonormal columns, as functions of matrices without constraints."""

from __future__ import annotations

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError, ShapeError
from gpukit.nn.module import Module

_SMALLEST = {  # what 1 + x differs from 1 by
    dtype: 2.0**-bits
    for bits, dtypes in ((23, ("float32", "complex64")), (52, ("float64", "complex128")))
    for dtype in (getattr(_core, name) for name in dtypes)
}
MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """`base`, where there is one, is what the weight was: the parameters rotate it."""

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ArgumentError(
                'orthogonal: orthogonal_map "householder" is for real weights, this one is '
                'complex. Use orthogonal_map="matrix_exp"'
            )
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, weight: Tensor) -> Tensor:
        is_wide = weight.shape[-2] < weight.shape[-1]
        tall = weight.mT if is_wide else weight
        if self.orthogonal_map == "householder":
            found = _reflected(tall)
        else:
            found = _rotated(tall, self.orthogonal_map)
        if "base" in self._buffers:
            found = self.base @ found
        return found.mT if is_wide else found

    @no_grad()
    def right_inverse(self, value: Tensor) -> Tensor:
        if value.shape != self.shape:
            raise ShapeError(f"orthogonal: the weight is {self.shape}, the value is {value.shape}")
        tall = value.mT if value.shape[-2] < value.shape[-1] else value
        if "base" in self._buffers:
            self.base = _completed(tall)
            negative = _core.zeros_like(value)
            negative.diagonal(dim1=-2, dim2=-1).fill_(-1)
            return negative
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                f"orthogonal: a value cannot be assigned with {self.orthogonal_map} and "
                "use_trivialization=False. Use the default, use_trivialization=True"
            )
        reflectors, scales = _core.geqrf(tall)
        signs = reflectors.diagonal(dim1=-2, dim2=-1)
        # A scale of 0 stands for no reflection; the forward pass computes 2 and reflects.
        signs.copy_(_core.where(scales == 0, -signs.sign(), signs.sign()))
        return reflectors if tall is value else reflectors.mT


def _rotated(tall: Tensor, orthogonal_map: str) -> Tensor:
    """The first columns of the rotation that a skew-symmetric matrix is the generator of."""
    rows, columns = tall.shape[-2:]
    lower = tall.tril()
    if rows != columns:
        rest = lower.new_zeros((*lower.shape[:-1], rows - columns))
        lower = _core.cat([lower, rest], dim=-1)
    skew = lower - lower.mH
    if orthogonal_map == "matrix_exp":
        whole = _core.matrix_exp(skew)
    else:
        one = _core.eye(rows, dtype=skew.dtype, device=skew.device)
        whole = _core.linalg_solve(one - skew / 2, one + skew / 2)
    return whole[..., :columns]


def _reflected(tall: Tensor) -> Tensor:
    """The product of the reflections below the diagonal, with the signs on the diagonal."""
    reflectors = tall.tril(-1)
    scales = 2 / (1 + (reflectors * reflectors).sum(-2))
    signs = tall.detach().diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
    return _core.linalg_householder_product(reflectors, scales) * signs


def _completed(tall: Tensor) -> Tensor:
    """A square orthogonal matrix whose first columns span, in order, those given."""
    rows, columns = tall.shape[-2:]
    if rows == columns:
        product = tall.mH @ tall
        one = _core.eye(rows, dtype=tall.dtype, device=tall.device)
        if (product - one).abs().max().item() <= 10 * rows * _SMALLEST.get(tall.dtype, 2.0**-23):
            return tall.clone()
    else:
        shape = (*tall.shape[:-1], rows - columns)
        rest = _core.randn(shape, dtype=tall.dtype, device=tall.device)
        tall = _core.cat([tall, rest], dim=-1)
    square, upper = _core.linalg_qr(tall)
    return square * upper.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)

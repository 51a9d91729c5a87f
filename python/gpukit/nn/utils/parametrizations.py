"""Parametrizations of weights: by length and direction, by the largest value, orthogonal."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import bool_of, dim_of, int_from, int_of
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError, DimensionError
from gpukit.nn.module import Module
from gpukit.nn.utils._norms import (
    drawn,
    largest_value,
    lengths,
    outputs_dim,
    power_steps,
    rows_of,
    unit,
)
from gpukit.nn.utils._orthogonal import MAPS, _Orthogonal
from gpukit.nn.utils.parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else int_of("weight_norm", "dim", dim)

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        product: Tensor = weight_v * (weight_g / lengths(weight_v, self.dim))
        return product

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return lengths(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Split a weight into lengths (`original0`) and directions (`original1`), both trained.

    Args:
        module: The module that has the weight.
        name: The weight's name.
        dim: The dimension that keeps its own lengths; None is one length for all.

    Raises:
        ValueError: The module has no such parameter.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.parametrizations.weight_norm(gpukit.nn.Linear(4, 2))
        >>> layer.parametrizations.weight.original0.shape
        (2, 1)
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        self.dim, self.eps = dim_of("spectral_norm", "dim", dim, weight.ndim), eps
        steps = int_from("spectral_norm", "n_power_iterations", n_power_iterations, 1)
        self.n_power_iterations = steps
        if weight.ndim > 1:
            matrix = rows_of(weight.detach(), self.dim)
            u, v = drawn(matrix, eps)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            power_steps(matrix, u, v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return unit(weight, self.eps)
        matrix = rows_of(weight, self.dim)
        if self.training:
            power_steps(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        scaled: Tensor = weight / largest_value(matrix, self._u, self._v)
        return scaled

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by an estimate of its largest singular value.

    Args:
        module: The module that has the weight.
        name: The weight's name.
        n_power_iterations: Steps of the estimate at each forward pass while training.
        eps: The smallest length that is divided by.
        dim: The dimension of the outputs; None is 1 of transposed convolutions, else 0.

    Raises:
        ValueError: The module has no such parameter.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.parametrizations.spectral_norm(gpukit.nn.Linear(2, 2))
        >>> round(gpukit.linalg.matrix_norm(layer.weight, 2).item(), 2)
        1.0
    """
    if dim is None:
        dim = outputs_dim(module)
    weight: Any = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        return register_parametrization(module, name, Module())  # which says what is missing
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep a weight orthogonal: its columns, or of a wide matrix its rows, are orthonormal.

    Args:
        module: The module that has the weight.
        name: The weight's name. The weight has two dimensions, or more for a batch of matrices.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; None is "matrix_exp" for square
            and complex matrices, else "householder".
        use_trivialization: Keep the weight as a buffer `base`, which the parameters rotate. Without
            it, "matrix_exp" and "cayley" can be given no value.

    Raises:
        ValueError: The module has no such parameter, or orthogonal_map is unknown.
        DimensionError: The weight has fewer than two dimensions.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.utils.parametrizations.orthogonal(gpukit.nn.Linear(2, 4))
        >>> gpukit.allclose(layer.weight.T @ layer.weight, gpukit.eye(2), atol=1e-6)
        True
    """
    weight: Any = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        return register_parametrization(module, name, Module())  # which says what is missing
    if weight.ndim < 2:
        raise DimensionError(
            f"orthogonal: {name} has {weight.ndim} dimensions; a matrix or a batch is needed"
        )
    if orthogonal_map is None:
        is_square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise ArgumentError(
            f"orthogonal: orthogonal_map must be one of {list(MAPS)}, got {orthogonal_map!r}"
        )
    trivial = bool_of("orthogonal", "use_trivialization", use_trivialization)
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=trivial)
    return register_parametrization(module, name, made, unsafe=True)


__getattr__ = module_getattr(__name__)

"""Normalisation over the last dimensions, or over groups of channels."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import int_from, ints_of
from gpukit._core import Tensor, ones, zeros
from gpukit.errors import ArgumentError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = ["GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LayerNorm(Module):
    """Shifts and scales each slice of the last dimensions to mean 0 and variance 1.

    Args:
        normalized_shape: Sizes of the last dimensions, or of the last one.
        eps: Added to the variance.
        elementwise_affine: With a weight (starting at 1) and a bias (0) for each element.
        bias: False for no bias.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LayerNorm(2)(gpukit.tensor([[1.0, 3.0]])).detach()
        tensor([[-1.0000,  1.0000]])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...] | list[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = tuple(ints_of("LayerNorm", "normalized_shape", normalized_shape))
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        weight = Parameter(ones(shape, device=device, dtype=dtype)) if elementwise_affine else None
        with_bias = elementwise_affine and bias
        shift = Parameter(zeros(shape, device=device, dtype=dtype)) if with_bias else None
        self.register_parameter("weight", weight)
        self.register_parameter("bias", shift)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return sizes and eps."""
        affine, bias = self.elementwise_affine, self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={bias}"


class GroupNorm(Module):
    """Shifts and scales each group of channels of each sample to mean 0 and variance 1.

    Args:
        num_groups: Number of groups; it divides num_channels.
        num_channels: The channels C of (N, C, …).
        eps: Added to the variance.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        device: Where the parameters are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> gpukit.nn.GroupNorm(1, 2)(gpukit.tensor([[1.0, 3.0]])).detach()
        tensor([[-1.0000,  1.0000]])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_groups = int_from("GroupNorm", "num_groups", num_groups, 1)
        self.num_channels = int_from("GroupNorm", "num_channels", num_channels, 0)
        if self.num_channels % self.num_groups:
            raise ArgumentError(
                f"GroupNorm: num_groups={num_groups} must divide num_channels={num_channels}"
            )
        self.eps = eps
        self.affine = affine
        where = {"device": device, "dtype": dtype}
        size = self.num_channels
        self.register_parameter("weight", Parameter(ones(size, **where)) if affine else None)
        shift = Parameter(zeros(size, **where)) if affine and bias else None
        self.register_parameter("bias", shift)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        sizes = f"{self.num_groups}, {self.num_channels}"
        return f"{sizes}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Divides each slice of the last dimensions by the root of the mean of its squares.

    Args:
        normalized_shape: Sizes of the last dimensions, or of the last one.
        eps: Added to the mean; None is the smallest step at 1 of the dtype of the computation.
        elementwise_affine: With a weight (starting at 1) for each element.
        device: Where the weight is.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> gpukit.nn.RMSNorm(2)(gpukit.tensor([3.0, 4.0])).detach()
        tensor([0.8485, 1.1314])
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...] | list[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = tuple(ints_of("RMSNorm", "normalized_shape", normalized_shape))
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        weight = Parameter(ones(shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def reset_parameters(self) -> None:
        """Set weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        affine = self.elementwise_affine
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}"


class LocalResponseNorm(Module):
    """Divides each element by a power of the squares in its neighbour channels.

    Args:
        size: The number of channels, the element's own in their middle.
        alpha: Factor of the mean of the squares.
        beta: The power.
        k: Added to the mean.

    Example:
        >>> import gpukit
        >>> gpukit.nn.LocalResponseNorm(1, 1.0, 1.0)(gpukit.ones(1, 1, 1))
        tensor([[[0.5000]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = int_from("LocalResponseNorm", "size", size, 1)
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

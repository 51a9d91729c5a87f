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

__all__ = ["GroupNorm", "LayerNorm"]


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

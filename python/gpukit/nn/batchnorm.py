"""Batch normalisation."""

from __future__ import annotations

from typing import Any, ClassVar

from gpukit._arguments import int_from, tensor_of
from gpukit._core import Tensor, int64, ones, tensor, zeros
from gpukit.errors import ShapeError
from gpukit.nn import init
from gpukit.nn._normalizing import batch_norm
from gpukit.nn.lazy import LazyModuleMixin
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
]


class _NormBase(Module):
    """What batch and instance norms have in common."""

    _version = 2  # states of version 1 have no num_batches_tracked
    _ranks: ClassVar[tuple[int, ...]]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = int_from(type(self).__name__, "num_features", num_features, 0)
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        where = {"device": device, "dtype": dtype}
        size = self.num_features
        self.register_parameter("weight", Parameter(ones(size, **where)) if affine else None)
        shift = Parameter(zeros(size, **where)) if affine and bias else None
        self.register_parameter("bias", shift)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(size, **where) if tracked else None)
        self.register_buffer("running_var", ones(size, **where) if tracked else None)
        count = tensor(0, dtype=int64, device=device) if tracked else None
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1, and the count of batches to 0."""
        if self.track_running_stats:
            assert self.running_mean is not None
            assert self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the running values; set weight to 1 and bias to 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_rank(self, input: Tensor) -> None:
        name = type(self).__name__
        tensor_of(name, "input", input)
        if input.ndim not in self._ranks:
            ranks = " or ".join(map(str, self._ranks))
            raise ShapeError(
                f"{name}: input must have {ranks} dimensions, its shape is {tuple(input.shape)}"
            )

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    """Normalises the channels of (N, C, …)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input; while training, count the batch and follow its values."""
        self._check_rank(input)
        if input.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: input {tuple(input.shape)} has {input.shape[1]} channels, "
                f"the layer has num_features={self.num_features}"
            )
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked.item())
        used = not self.training or self.track_running_stats
        return batch_norm(
            input,
            self.running_mean if used else None,
            self.running_var if used else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            factor,
            self.eps,
        )


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A norm that takes num_features from its first input."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        where = {"device": device, "dtype": dtype}
        if affine:
            self.weight = UninitializedParameter(**where)
            if bias:
                self.bias = UninitializedParameter(**where)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**where)
            self.running_var = UninitializedBuffer(**where)
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Reset the values, once the sizes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take num_features from an input."""
        self._check_rank(input)
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for value in (self.weight, self.bias, self.running_mean, self.running_var):
                if value is not None:
                    value.materialize((self.num_features,))
            self.reset_parameters()
        elif self.num_features == 0:
            held = self.weight if self.weight is not None else self.running_mean
            self.num_features = input.shape[1] if held is None else held.shape[0]
        for name in ("running_mean", "running_var"):
            value = getattr(self, name)
            if value is not None:
                setattr(self, name, value.detach())


class BatchNorm1d(_BatchNorm):
    """Normalises each channel of (N, C) or (N, C, L) over the batch.

    After `eval()` it shifts and scales by the running values.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.BatchNorm1d(2)
        >>> layer(gpukit.ones(4, 2)).shape, layer.num_batches_tracked
        ((4, 2), tensor(1))
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel of (N, C, H, W) over the batch.

    After `eval()` it shifts and scales by the running values.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.BatchNorm2d(2)
        >>> layer(gpukit.ones(4, 2, 5, 5)).shape, layer.num_batches_tracked
        ((4, 2, 5, 5), tensor(1))
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises each channel of (N, C, D, H, W) over the batch.

    After `eval()` it shifts and scales by the running values.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.BatchNorm3d(2)
        >>> layer(gpukit.ones(4, 2, 3, 3, 3)).shape, layer.num_batches_tracked
        ((4, 2, 3, 3, 3), tensor(1))
    """

    _ranks = (5,)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d whose num_features is decided by the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyBatchNorm1d()
        >>> layer(gpukit.ones(4, 2)).shape, layer.num_features
        ((4, 2), 2)
    """

    _ranks = BatchNorm1d._ranks
    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d whose num_features is decided by the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyBatchNorm2d()
        >>> layer(gpukit.ones(4, 2, 5, 5)).shape, layer.num_features
        ((4, 2, 5, 5), 2)
    """

    _ranks = BatchNorm2d._ranks
    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d whose num_features is decided by the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces; None keeps the mean of all
            batches, and waits for their count.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each input.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyBatchNorm3d()
        >>> layer(gpukit.ones(4, 2, 3, 3, 3)).shape, layer.num_features
        ((4, 2, 3, 3, 3), 2)
    """

    _ranks = BatchNorm3d._ranks
    cls_to_become = BatchNorm3d

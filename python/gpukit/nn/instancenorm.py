"""Normalisation of each channel of each sample."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from gpukit._core import Tensor
from gpukit.errors import ArgumentError, GpukitWarning
from gpukit.nn._local_norms import instance_norm, sample_norm_of
from gpukit.nn.batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    """Normalises the channels of each sample."""

    _ranks: ClassVar[tuple[int, int]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input; while training, follow its values where they are tracked."""
        name = type(self).__name__
        whole = sample_norm_of(name, input, self._ranks)
        if whole.shape[1] != self.num_features:
            text = (
                f"{name}: input {tuple(input.shape)} has {whole.shape[1]} channels, the layer has "
                f"num_features={self.num_features}"
            )
            if self.affine or self.track_running_stats:
                raise ArgumentError(text)
            if self.num_features:
                text = f"{text}, which is not used without affine"
                warnings.warn(text, GpukitWarning, stacklevel=2)
        out = instance_norm(
            whole,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return out if whole is input else out.squeeze(0)


class _LazyInstanceNorm(_LazyNormBase, _InstanceNorm):
    """An instance norm that takes num_features from its first input.

    With weights and running values by default, as torch's.
    """

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
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def initialize_parameters(self, input: Tensor) -> None:
        """Take num_features from an input, where it is the size of a parameter or buffer."""
        whole = sample_norm_of(type(self).__name__, input, self._ranks)
        if self.affine or self.track_running_stats:
            super().initialize_parameters(whole)

    def _check_rank(self, input: Tensor) -> None:
        sample_norm_of(type(self).__name__, input, self._ranks)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample of (N, C, L), or of one without N.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> gpukit.nn.InstanceNorm1d(2)(gpukit.ones(4, 2, 5)).shape
        (4, 2, 5)
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each sample of (N, C, H, W), or of one without N.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> gpukit.nn.InstanceNorm2d(2)(gpukit.ones(4, 2, 5, 5)).shape
        (4, 2, 5, 5)
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each sample of (N, C, D, H, W), or of one without N.

    Args:
        num_features: The channels C.
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> gpukit.nn.InstanceNorm3d(2)(gpukit.ones(4, 2, 3, 3, 3)).shape
        (4, 2, 3, 3, 3)
    """

    _ranks = (4, 5)


class LazyInstanceNorm1d(_LazyInstanceNorm):
    """An InstanceNorm1d whose parameters get their size from the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyInstanceNorm1d(affine=True)
        >>> layer(gpukit.ones(4, 2, 5)).shape, layer.num_features
        ((4, 2, 5), 2)
    """

    _ranks = InstanceNorm1d._ranks
    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm):
    """An InstanceNorm2d whose parameters get their size from the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyInstanceNorm2d(affine=True)
        >>> layer(gpukit.ones(4, 2, 5, 5)).shape, layer.num_features
        ((4, 2, 5, 5), 2)
    """

    _ranks = InstanceNorm2d._ranks
    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm):
    """An InstanceNorm3d whose parameters get their size from the first input.

    Args:
        eps: Added to the variance before its root.
        momentum: Part of the running values that each batch replaces.
        affine: With a weight (starting at 1) and a bias (0) for each channel.
        track_running_stats: Keep a running mean and variance for `eval()`; False takes those of
            each sample.
        device: Where the parameters and buffers are.
        dtype: A floating dtype.
        bias: False for no bias.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LazyInstanceNorm3d(affine=True)
        >>> layer(gpukit.ones(4, 2, 3, 3, 3)).shape, layer.num_features
        ((4, 2, 3, 3, 3), 2)
    """

    _ranks = InstanceNorm3d._ranks
    cls_to_become = InstanceNorm3d

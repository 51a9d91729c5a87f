"""Dropout."""

from __future__ import annotations

from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._dropping import check_probability
from gpukit.nn.module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _DropoutNd(Module):
    """What drops elements or channels with a probability."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        check_probability("Dropout", p)
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """While training sets elements to 0 with probability p and scales the others by 1 / (1 - p).

    After `eval()` it returns its input.

    Args:
        p: Probability of an element to become 0.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Dropout(0.5).eval()(gpukit.ones(2))
        tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """While training sets whole channels of (N, C, L) or (C, L) to 0 with probability p.

    After `eval()` it returns its input.

    Args:
        p: Probability.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Dropout1d(0.5).eval()(gpukit.ones(1, 2, 2)).sum()
        tensor(4.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """While training sets whole channels of (N, C, H, W) to 0 with probability p.

    After `eval()` it returns its input.

    Args:
        p: Probability.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Dropout2d(0.5).eval()(gpukit.ones(1, 2, 2, 2)).sum()
        tensor(8.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """While training sets whole channels of (N, C, D, H, W) to 0 with probability p.

    After `eval()` it returns its input.

    Args:
        p: Probability.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.Dropout3d(0.5).eval()(gpukit.ones(1, 2, 2, 2, 2)).sum()
        tensor(16.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """While training sets elements to SELU's limit with probability p; mean and variance stay.

    After `eval()` it returns its input.

    Args:
        p: Probability.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.AlphaDropout(0.5).eval()(gpukit.ones(2, 2)).sum()
        tensor(4.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """While training sets whole channels to SELU's limit with probability p.

    After `eval()` it returns its input.

    Args:
        p: Probability.
        inplace: Change the input instead of making a new tensor.

    Example:
        >>> import gpukit
        >>> gpukit.nn.FeatureAlphaDropout(0.5).eval()(gpukit.ones(2, 2)).sum()
        tensor(4.)
    """

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)

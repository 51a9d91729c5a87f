"""Dropout."""

from __future__ import annotations

from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._dropping import check_probability
from gpukit.nn.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
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

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        check_probability("Dropout", p)
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with elements dropped while training."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"

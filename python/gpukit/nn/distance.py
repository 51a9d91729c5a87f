"""Distances and similarities, and the losses that are made of them, as modules."""

from __future__ import annotations

from gpukit._arguments import int_of
from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._similarity import above_zero
from gpukit.nn.loss import _Loss, _WeightedLoss
from gpukit.nn.module import Module

__all__ = [
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "PairwiseDistance",
    "PoissonNLLLoss",
    "SoftMarginLoss",
    "TripletMarginLoss",
]


class CosineSimilarity(Module):
    """The cosine of the angles between vectors along dim.

    Args:
        dim: The dimension of the vectors.
        eps: The least that each norm counts.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CosineSimilarity()(gpukit.ones(1, 2), gpukit.ones(1, 2))
        tensor([1.0000])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = int_of("CosineSimilarity", "dim", dim)
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norms of the differences of vectors.

    Args:
        p: The norm.
        eps: Added to each difference.
        keepdim: Keep the last dimension with size 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.PairwiseDistance()(gpukit.zeros(1, 2), gpukit.tensor([[3.0, 4.0]]))
        tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of the target from exp(input).

    Args:
        reduction: 'batchmean', 'mean', 'sum' or 'none'.
        log_target: The target holds logarithms.

    Example:
        >>> import gpukit
        >>> p = gpukit.tensor([[0.5, 0.5]])
        >>> gpukit.nn.KLDivLoss("batchmean")(p.log(), p)
        tensor(0.)
    """

    _reductions = ("batchmean", "mean", "sum", "none")

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.kl_div(input, target, self.reduction, self.log_target)


class SoftMarginLoss(_Loss):
    """The mean of log(1 + exp(-target * input)), targets 1 or -1.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.SoftMarginLoss()(gpukit.zeros(2), gpukit.ones(2))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.soft_margin_loss(input, target, self.reduction)


class HingeEmbeddingLoss(_Loss):
    """The mean of distances where the target is 1, of max(margin - distance, 0) where it is -1.

    Args:
        margin: The distance from which different ones cost nothing.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.HingeEmbeddingLoss()(gpukit.zeros(2), gpukit.tensor([1, -1]))
        tensor(0.5000)
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.hinge_embedding_loss(input, target, self.margin, self.reduction)


class CosineEmbeddingLoss(_Loss):
    """The mean of 1 - cos where the target is 1, and of what cos exceeds margin by where it is -1.

    Args:
        margin: The cosine up to which different vectors cost nothing.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2)
        >>> gpukit.nn.CosineEmbeddingLoss()(x, x, gpukit.tensor([-1]))
        tensor(1.)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class MarginRankingLoss(_Loss):
    """The mean of max(-target * (input1 - input2) + margin, 0).

    Args:
        margin: By how much the right score is to be larger.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MarginRankingLoss(1.0)(gpukit.zeros(2), gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(_Loss):
    """The mean of max(d(anchor, positive) - d(anchor, negative) + margin, 0).

    Args:
        margin: How much farther away the negative is to be.
        p: The norm of the distances.
        eps: Added to the differences.
        swap: Take the negative's smaller distance, to anchor or positive.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.zeros(1, 2), gpukit.ones(1, 2)
        >>> gpukit.nn.TripletMarginLoss(2.0)(a, a, b)
        tensor(0.5858)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.margin = above_zero("TripletMarginLoss", margin)
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss."""
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """The hinge loss of several classes.

    Args:
        p: 1 or 2, the power of what a class is over the margin.
        margin: By how much the score of the class is to be larger.
        weight: A factor for each class.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[0.1, 0.2, 0.7]])
        >>> gpukit.nn.MultiMarginLoss()(x, gpukit.tensor([2]))
        tensor(0.3000)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.p = int_of("MultiMarginLoss", "p", p)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean cross-entropy of each class with sigmoid(input).

    Args:
        weight: A factor for each class.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MultiLabelSoftMarginLoss()(gpukit.zeros(1, 2), gpukit.ones(1, 2))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class PoissonNLLLoss(_Loss):
    """The mean negative log-likelihood of counts from Poisson distributions.

    Args:
        log_input: The input holds logarithms of rates.
        full: Add Stirling's approximation of log(target!).
        eps: Keeps the logarithm of a rate of 0 finite.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.PoissonNLLLoss()(gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.poisson_nll_loss(
            input, target, self.log_input, self.full, self.eps, self.reduction
        )


class GaussianNLLLoss(_Loss):
    """The mean negative log-likelihood of numbers from normal distributions.

    Args:
        full: Add log(2π) / 2.
        eps: The least variance.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.GaussianNLLLoss()(gpukit.zeros(2), gpukit.ones(2), gpukit.ones(2))
        tensor(0.5000)
    """

    def __init__(self, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Return the loss."""
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)

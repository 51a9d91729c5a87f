"""Losses of sequences of labels, of several labels, and of triplets by any distance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._similarity import above_zero
from gpukit.nn.loss import _Loss

__all__ = ["CTCLoss", "MultiLabelMarginLoss", "TripletMarginWithDistanceLoss"]


class CTCLoss(_Loss):
    """The negated log-probability of labels over all their alignments with the input.

    Args:
        blank: The class that is no label.
        reduction: 'mean' of the losses divided by their lengths, 'sum' or 'none'.
        zero_infinity: Losses of labels that do not fit into their input are 0, not infinite.

    Example:
        >>> import gpukit
        >>> x = gpukit.zeros(2, 1, 3).log_softmax(2)
        >>> gpukit.nn.CTCLoss(reduction="sum")(x, gpukit.tensor([[1]]), [2], [1])
        tensor(1.0986)
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: Tensor | Sequence[int],
        target_lengths: Tensor | Sequence[int],
    ) -> Tensor:
        """Return the loss; see `functional.ctc_loss`."""
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )


class MultiLabelMarginLoss(_Loss):
    """The hinge loss of rows with several labels.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> gpukit.nn.MultiLabelMarginLoss()(x, gpukit.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss; target has the labels of each row, then -1."""
        return F.multilabel_margin_loss(input, target, self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """The mean of max(d(anchor, positive) - d(anchor, negative) + margin, 0), of any d.

    Args:
        distance_function: d; None is pairwise_distance.
        margin: How much farther away the negative is to be.
        swap: Take the negative's smaller distance, to anchor or positive.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.zeros(1, 2), gpukit.tensor([[3.0, 4.0]])
        >>> gpukit.nn.TripletMarginWithDistanceLoss(margin=2.0)(a, b, b)
        tensor(2.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[..., Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.distance_function = distance_function
        self.margin = above_zero("TripletMarginWithDistanceLoss", margin)
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )

"""Losses as modules."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from gpukit._arguments import int_of
from gpukit._core import Tensor
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn._older_arguments import with_older_arguments
from gpukit.nn.module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]


class _Loss(Module):
    """A loss with a reduction."""

    _reductions: ClassVar[tuple[str, ...]] = ("mean", "sum", "none")

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls) and cls.__module__.startswith("gpukit."):
            cls.__init__ = with_older_arguments(cls.__init__)  # type: ignore[method-assign]

    @with_older_arguments
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in self._reductions:
            *others, last = map(repr, self._reductions)
            raise ValueError(
                f"{type(self).__name__}: reduction must be {', '.join(others)} or {last}, "
                f"got {reduction!r}"
            )
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with weights of the classes or elements."""

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The mean of the squared differences.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.MSELoss()(gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of predictions and targets of one shape."""
        return F.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """The mean of the absolute differences.

    Args:
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.L1Loss()(gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of predictions and targets of one shape."""
        return F.l1_loss(input, target, self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Cross-entropy of softmax(input): logits in.

    Args:
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.
        label_smoothing: Share of the target that is distributed over all classes.

    Example:
        >>> import gpukit
        >>> gpukit.nn.CrossEntropyLoss()(gpukit.zeros(1, 2), gpukit.tensor([0]))
        tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = int_of("CrossEntropyLoss", "ignore_index", ignore_index)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of logits (rows, classes, …) and class numbers (rows, …)."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            self.ignore_index,
            self.reduction,
            self.label_smoothing,
        )


class NLLLoss(_WeightedLoss):
    """Negative log-likelihood of classes: log-probabilities in.

    Args:
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.NLLLoss()(gpukit.tensor([[-0.5, -1.0]]), gpukit.tensor([1]))
        tensor(1.)
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = int_of("NLLLoss", "ignore_index", ignore_index)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of log-probabilities (rows, classes, …) and class numbers (rows, …)."""
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class NLLLoss2d(NLLLoss):
    """Deprecated: NLLLoss, which takes (rows, classes, height, width) too."""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
            "replacement.",
            FutureWarning,
            stacklevel=3,
        )
        super().__init__(weight, ignore_index, reduction)


class BCEWithLogitsLoss(_Loss):
    """Binary cross-entropy of sigmoid(input): logits in.

    Args:
        weight: Of each element, or what broadcasts to them.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: Of the positive class.

    Example:
        >>> import gpukit
        >>> gpukit.nn.BCEWithLogitsLoss()(gpukit.zeros(1), gpukit.ones(1))
        tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Any = None,
    ) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of logits and probabilities of one shape."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class BCELoss(_WeightedLoss):
    """Binary cross-entropy of probabilities: a sigmoid's results in.

    Args:
        weight: Of each element, or what broadcasts to them.
        reduction: 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.BCELoss()(gpukit.full((2,), 0.5), gpukit.ones(2))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of probabilities and targets of one shape."""
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class SmoothL1Loss(_Loss):
    """The mean of squares of small differences and of absolute values of large ones.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        beta: Where the one goes over into the other.

    Example:
        >>> import gpukit
        >>> gpukit.nn.SmoothL1Loss()(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]))
        tensor(1.5000)
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of predictions and targets of one shape."""
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(_Loss):
    """The mean of squares of small differences and of multiples of large ones.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        delta: Where the one goes over into the other.

    Example:
        >>> import gpukit
        >>> gpukit.nn.HuberLoss()(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]))
        tensor(1.5000)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of predictions and targets of one shape."""
        return F.huber_loss(input, target, self.reduction, self.delta)

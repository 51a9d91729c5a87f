"""Losses as functions of gpukit itself, whose reduction is a number; see `_native`."""

from __future__ import annotations

from collections.abc import Sequence

from gpukit._core import Tensor
from gpukit.nn import functional
from gpukit.nn._native import _reduction


def kl_div(
    input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False
) -> Tensor:
    """Return `nn.functional.kl_div`.

    Args:
        input: Logarithms of probabilities.
        target: Probabilities.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.
        log_target: Whether `target` has logarithms too.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> gpukit.kl_div(gpukit.zeros(1), gpukit.ones(1), 2)
        tensor(0.)
    """
    return functional.kl_div(input, target, _reduction("kl_div", reduction), log_target)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """Return `nn.functional.binary_cross_entropy_with_logits`.

    Args:
        input: Logits.
        target: Probabilities.
        weight: Of each element, or None.
        pos_weight: Of positive targets, or None.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> gpukit.binary_cross_entropy_with_logits(gpukit.zeros(1), gpukit.ones(1))
        tensor([0.6931])
    """
    joined = _reduction("binary_cross_entropy_with_logits", reduction)
    return functional.binary_cross_entropy_with_logits(
        input, target, weight, reduction=joined, pos_weight=pos_weight
    )


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """Return `nn.functional.cosine_embedding_loss`.

    Args:
        input1: (N, D) or (D,).
        input2: The same.
        target: 1 or -1.
        margin: For those of -1.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2)
        >>> gpukit.cosine_embedding_loss(x, x, gpukit.tensor([-1.0]))
        tensor([1.])
    """
    joined = _reduction("cosine_embedding_loss", reduction)
    return functional.cosine_embedding_loss(input1, input2, target, margin, reduction=joined)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0
) -> Tensor:
    """Return `nn.functional.hinge_embedding_loss`.

    Args:
        input: Distances.
        target: 1 or -1.
        margin: For those of -1.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> gpukit.hinge_embedding_loss(gpukit.ones(1), gpukit.ones(1))
        tensor([1.])
    """
    joined = _reduction("hinge_embedding_loss", reduction)
    return functional.hinge_embedding_loss(input, target, margin, reduction=joined)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """Return `nn.functional.margin_ranking_loss`.

    Args:
        input1: Scores.
        input2: Scores.
        target: 1 where `input1` should be larger, else -1.
        margin: By how much.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> gpukit.margin_ranking_loss(gpukit.zeros(1), gpukit.ones(1), gpukit.ones(1))
        tensor([1.])
    """
    joined = _reduction("margin_ranking_loss", reduction)
    return functional.margin_ranking_loss(input1, input2, target, margin, reduction=joined)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """Return `nn.functional.triplet_margin_loss`.

    Args:
        anchor: (N, D) or (D,).
        positive: Near the anchor.
        negative: Far from it.
        margin: By how much.
        p: The order of the norm.
        eps: Added to differences.
        swap: Use the distance of `positive` to `negative` where it is smaller.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2)
        >>> gpukit.triplet_margin_loss(x, x, x)
        tensor([1.])
    """
    joined = _reduction("triplet_margin_loss", reduction)
    return functional.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=joined
    )


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """Return `nn.functional.poisson_nll_loss`.

    Args:
        input: Rates, or their logarithms.
        target: Counts.
        log_input: Whether `input` has logarithms.
        full: Add Stirling's term.
        eps: Added to rates.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> gpukit.poisson_nll_loss(gpukit.zeros(1), gpukit.ones(1), True, False, 1e-8, 1)
        tensor(1.)
    """
    joined = _reduction("poisson_nll_loss", reduction)
    return functional.poisson_nll_loss(
        input, target, log_input=log_input, full=full, eps=eps, reduction=joined
    )


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """Return `nn.functional.ctc_loss`.

    Args:
        log_probs: (T, N, C), logarithms of probabilities.
        targets: Labels.
        input_lengths: Of each sequence.
        target_lengths: Of each target.
        blank: The label of blanks.
        reduction: 0 is 'none', torch's default here; 1 is 'mean', 2 'sum'.
        zero_infinity: Infinite losses are 0.

    Raises:
        ValueError: `reduction` is another one.

    Example:
        >>> import gpukit
        >>> x = gpukit.zeros(1, 1, 2).log_softmax(2)
        >>> gpukit.ctc_loss(x, gpukit.tensor([[1]]), (1,), (1,))
        tensor([0.6931])
    """
    joined = _reduction("ctc_loss", reduction)
    return functional.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, joined, zero_infinity
    )

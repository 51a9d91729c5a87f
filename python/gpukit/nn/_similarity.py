"""Distances, similarities, and the losses that are made of them."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_of, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._losses import _reduced
from gpukit.nn._named_nodes import names_node
from gpukit.nn._older_arguments import with_older_arguments


def _pair(op: str, **tensors: Any) -> None:
    for name, tensor in tensors.items():
        tensor_of(op, name, tensor)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angles between slices of x1 and x2 along dim.

    Args:
        x1: A floating tensor.
        x2: The same shape, or one that broadcasts with it.
        dim: The dimension of the vectors.
        eps: The least that each norm counts.

    Returns:
        The broadcast shape without dim: x1 · x2 / (max(‖x1‖, eps) * max(‖x2‖, eps)).

    Raises:
        ShapeError: The shapes do not broadcast.
        IndexError: dim is not a dimension.
        DTypeError: A tensor is not floating.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[1.0, 0.0]])
        >>> gpukit.nn.functional.cosine_similarity(x, gpukit.tensor([[3.0, 4.0]]))
        tensor([0.6000])
    """
    _pair("cosine_similarity", x1=x1, x2=x2)
    for name, tensor in (("x1", x1), ("x2", x2)):
        if not tensor.is_floating_point():
            raise DTypeError(f"cosine_similarity: {name} must be floating, it is {tensor.dtype}")
    dim, eps = int_of("cosine_similarity", "dim", dim), number_of("cosine_similarity", "eps", eps)
    x1, x2 = _core.broadcast_tensors(x1, x2)
    first = x1 / x1.norm(2, dim, keepdim=True).clamp(min=eps)
    second = x2 / x2.norm(2, dim, keepdim=True).clamp(min=eps)
    return (first * second).sum(dim)


@names_node("NormBackward1")
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the p-norms of x1 - x2 + eps along the last dimension.

    Args:
        x1: Vectors, (…, D).
        x2: The same shape, or one that broadcasts with it.
        p: The norm.
        eps: Added to each difference, so that a norm of zeros has a derivative.
        keepdim: Keep the last dimension with size 1.

    Returns:
        The broadcast shape without its last dimension.

    Raises:
        ShapeError: The shapes do not broadcast.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.pairwise_distance(gpukit.zeros(1, 2), gpukit.tensor([[3.0, 4.0]]))
        tensor([5.0000])
    """
    _pair("pairwise_distance", x1=x1, x2=x2)
    p, eps = number_of("pairwise_distance", "p", p), number_of("pairwise_distance", "eps", eps)
    keepdim = bool_of("pairwise_distance", "keepdim", keepdim)
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def above_zero(op: str, margin: Any) -> float:
    """A margin as a float."""
    number = number_of(op, "margin", margin)
    if number <= 0:
        raise ArgumentError(f"{op}: margin must be above 0, got {number}")
    return number


@with_older_arguments
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of max(d(anchor, positive) - d(anchor, negative) + margin, 0).

    Args:
        anchor: Vectors, (N, D) or (D,).
        positive: Those that are to be near.
        negative: Those that are to be at least margin farther away.
        margin: The distance that is asked for; above 0.
        p: The norm of the distances.
        eps: Added to the differences.
        swap: Take the smaller of the negative's distances to anchor and positive (Balntas et al.,
            2016, doi:10.5244/C.30.119).
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; (N,) with 'none'.

    Raises:
        ValueError: margin is not above 0, or another reduction.
        ShapeError: The shapes do not broadcast.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.zeros(1, 2), gpukit.ones(1, 2)
        >>> gpukit.nn.functional.triplet_margin_loss(a, a, b, margin=2.0)
        tensor(0.5858)
    """
    op = "triplet_margin_loss"
    _pair(op, anchor=anchor, positive=positive, negative=negative)
    margin = above_zero(op, margin)
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            f"{op}: anchor is {tuple(anchor.shape)}, positive {tuple(positive.shape)}, negative "
            f"{tuple(negative.shape)}; they must have as many dimensions"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if bool_of(op, "swap", swap):
        far = _core.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(op, (near - far + margin).clamp_min(0), reduction)


@with_older_arguments
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean"
) -> Tensor:
    """Return the mean of max(-target * (input1 - input2) + margin, 0).

    Args:
        input1: Scores.
        input2: Scores of the others.
        target: 1 where input1 is to be larger, -1 where input2 is.
        margin: By how much.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; the broadcast shape with 'none'.

    Raises:
        ShapeError: The tensors have different numbers of dimensions, or do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 1.0])
        >>> gpukit.nn.functional.margin_ranking_loss(a, b, gpukit.ones(2))
        tensor(1.)
    """
    op = "margin_ranking_loss"
    _pair(op, input1=input1, input2=input2, target=target)
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            f"{op}: input1 is {tuple(input1.shape)}, input2 {tuple(input2.shape)}, target "
            f"{tuple(target.shape)}; they must have as many dimensions"
        )
    margin = number_of(op, "margin", margin)
    return _reduced(op, (-target * (input1 - input2) + margin).clamp_min(0), reduction)


@with_older_arguments
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean"
) -> Tensor:
    """Return the mean of 1 - cos where target is 1, and of max(cos - margin, 0) where it is -1.

    Args:
        input1: Vectors, (N, D) or (D,).
        input2: The vectors beside them.
        target: 1 or -1, (N,) or 0-d.
        margin: The cosine up to which different vectors cost nothing.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; target's shape with 'none'.

    Raises:
        ShapeError: The inputs are not (N, D) with target (N,), nor (D,) with a 0-d target.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[1.0, 0.0]])
        >>> gpukit.nn.functional.cosine_embedding_loss(x, x, gpukit.tensor([-1]))
        tensor(1.)
    """
    op = "cosine_embedding_loss"
    _pair(op, input1=input1, input2=input2, target=target)
    if target.ndim not in {0, 1} or not input1.ndim == input2.ndim == target.ndim + 1:
        raise ShapeError(
            f"{op}: input1 is {tuple(input1.shape)}, input2 {tuple(input2.shape)}, target "
            f"{tuple(target.shape)}; (N, D), (N, D) and (N,) or (D,), (D,) and () are needed"
        )
    eps = 1e-12
    squares = (input1 * input1).sum(-1) + eps, (input2 * input2).sum(-1) + eps
    cosine = (input1 * input2).sum(-1) / (squares[0] * squares[1]).sqrt()
    apart = (cosine - number_of(op, "margin", margin)).clamp(min=0)
    zeros = _core.zeros_like(cosine)
    losses = _core.where(target == 1, 1 - cosine, zeros)
    losses = losses + _core.where(target == -1, apart, zeros)
    return _reduced(op, losses, reduction)


@with_older_arguments
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return the mean of input where target is 1, and of max(margin - input, 0) where it is -1.

    Args:
        input: Distances.
        target: 1 or -1, of input's shape.
        margin: The distance from which different ones cost nothing.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; the broadcast shape with 'none'.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([0.5, 0.25])
        >>> gpukit.nn.functional.hinge_embedding_loss(x, gpukit.tensor([1, -1]))
        tensor(0.6250)
    """
    op = "hinge_embedding_loss"
    _pair(op, input=input, target=target)
    apart = (number_of(op, "margin", margin) - input).clamp(min=0)
    zeros = _core.zeros_like(input)
    losses = _core.where(target == 1, zeros, apart) + _core.where(target == -1, zeros, input)
    return _reduced(op, losses, reduction)


@with_older_arguments
@names_node("SoftMarginLossBackward0")
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of log(1 + exp(-target * input)).

    Args:
        input: Scores.
        target: 1 or -1, of input's shape.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; the broadcast shape with 'none'.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.soft_margin_loss(gpukit.zeros(2), gpukit.tensor([1.0, -1.0]))
        tensor(0.6931)
    """
    _pair("soft_margin_loss", input=input, target=target)
    z = -target * input
    zero = _core.zeros((), dtype=z.dtype, device=z.device)
    return _reduced("soft_margin_loss", _core.logaddexp(z, zero), reduction)


@with_older_arguments
@names_node("MultiMarginLossBackward0")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the hinge loss of several classes.

    A row's loss is the mean over its other classes of max(margin - x[target] + x[i], 0) ** p.

    Args:
        input: Scores, (N, C) or (C,).
        target: Class numbers, (N,) or 0-d, int64.
        p: 1 or 2.
        margin: By how much the score of the class is to be larger.
        weight: A factor for each class, (C,).
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; target's shape with 'none'.

    Raises:
        ShapeError: input is neither (N, C) nor (C,), or target does not fit.
        ValueError: p is neither 1 nor 2, or another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[0.1, 0.2, 0.7]])
        >>> gpukit.nn.functional.multi_margin_loss(x, gpukit.tensor([2]))
        tensor(0.3000)
    """
    op = "multi_margin_loss"
    _pair(op, input=input, target=target)
    p = int_of(op, "p", p)
    if p not in {1, 2}:
        raise ArgumentError(f"{op}: p must be 1 or 2, got {p}")
    rows = input if input.ndim == 2 else input.unsqueeze(0)
    numbers = target.reshape(-1)
    if input.ndim not in {1, 2} or tuple(numbers.shape) != (rows.shape[0],) or target.ndim > 1:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; (N, C) and (N,) "
            "or (C,) and () are needed"
        )
    own = rows.gather(1, numbers.unsqueeze(1))
    terms = (number_of(op, "margin", margin) - own + rows).clamp(min=0)
    terms = terms if p == 1 else terms * terms
    if weight is not None:
        tensor_of(op, "weight", weight)
        terms = terms * weight[numbers].unsqueeze(1)
    classes = _core.arange(rows.shape[1], device=rows.device)
    others = classes.unsqueeze(0) != numbers.unsqueeze(1)
    losses = (terms * others.to(terms.dtype)).sum(1) / rows.shape[1]
    return _reduced(op, losses if target.ndim else losses[0], reduction)


@with_older_arguments
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over the classes of the cross-entropy of each with sigmoid(input).

    Args:
        input: Logits, (N, C) or (C,).
        target: 0 or 1, of input's shape.
        weight: A factor for each class, (C,).
        reduction: 'mean', 'sum' or 'none', over the rows.

    Returns:
        0-d; (N,) with 'none'.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.zeros(1, 2)
        >>> gpukit.nn.functional.multilabel_soft_margin_loss(x, gpukit.tensor([[1.0, 0.0]]))
        tensor(0.6931)
    """
    op = "multilabel_soft_margin_loss"
    _pair(op, input=input, target=target)
    zero = _core.zeros((), dtype=input.dtype, device=input.device)
    losses = target * _core.logaddexp(-input, zero) + (1 - target) * _core.logaddexp(input, zero)
    if weight is not None:
        losses = losses * tensor_of(op, "weight", weight)
    return _reduced(op, losses.sum(-1) / losses.shape[-1], reduction)

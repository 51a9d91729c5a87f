"""Losses of several labels, and of triplets by any distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, DTypeError, ShapeError
from gpukit.nn._losses import _reduced
from gpukit.nn._named_nodes import names_node
from gpukit.nn._older_arguments import with_older_arguments
from gpukit.nn._similarity import above_zero, pairwise_distance


@with_older_arguments
@names_node("MultilabelMarginLossBackward0")
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of Σ max(0, 1 - input[label] + input[other]) / C over labels and others.

    Args:
        input: Scores, (N, C) or (C,), floating.
        target: The labels of each row, then -1: input's shape, int64.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; (N,) with 'none'.

    Raises:
        ShapeError: The shapes differ.
        DTypeError: target is not int64.
        ValueError: A label is not below C, or another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> gpukit.nn.functional.multilabel_margin_loss(x, gpukit.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """
    op = "multilabel_margin_loss"
    tensor_of(op, "input", input)
    tensor_of(op, "target", target)
    if target.shape != input.shape or input.ndim not in {1, 2}:
        raise ShapeError(
            f"{op}: input and target must both be (N, C) or (C,), they are {tuple(input.shape)} "
            f"and {tuple(target.shape)}"
        )
    if target.dtype != _core.int64:
        raise DTypeError(f"{op}: target is {target.dtype.name}; use target.long()")
    scores, labels = (each.unsqueeze(0) if each.ndim == 1 else each for each in (input, target))
    classes = scores.shape[1]
    if labels.numel() and not -1 <= int(labels.min()) <= int(labels.max()) < classes:
        raise ArgumentError(f"{op}: labels must be from 0 to {classes - 1}, or -1 after the last")
    counted = (labels >= 0).long().cumprod(1)
    places = labels.clamp(min=0)
    wanted = _core.zeros_like(counted).scatter_add(1, places, counted) > 0
    over = (1 - scores.gather(1, places)).unsqueeze(2) + scores.unsqueeze(1)
    over = over.relu() * counted.unsqueeze(2) * wanted.logical_not().unsqueeze(1)
    losses = over.sum((1, 2)) / max(classes, 1)
    return _reduced(op, losses.squeeze(0) if input.ndim == 1 else losses, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[..., Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of max(d(anchor, positive) - d(anchor, negative) + margin, 0), of any d.

    Args:
        anchor: Vectors, (N, D) or (D,).
        positive: Those that are to be near.
        negative: Those that are to be at least margin farther away.
        distance_function: d; None is pairwise_distance.
        margin: The distance that is asked for; above 0.
        swap: Take the smaller of the negative's distances to anchor and positive.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; (N,) with 'none'.

    Raises:
        ValueError: margin is not above 0, or another reduction.
        ShapeError: The numbers of dimensions differ.

    Example:
        >>> import gpukit
        >>> a, b = gpukit.zeros(1, 2), gpukit.tensor([[3.0, 4.0]])
        >>> far = lambda x, y: (x - y).abs().amax(-1)
        >>> loss = gpukit.nn.functional.triplet_margin_with_distance_loss
        >>> loss(a, b, a, distance_function=far)
        tensor(5.)
    """
    op = "triplet_margin_with_distance_loss"
    for name, each in (("anchor", anchor), ("positive", positive), ("negative", negative)):
        tensor_of(op, name, each)
        if each.ndim != anchor.ndim:
            raise ShapeError(
                f"{op}: anchor, positive and negative must have one number of dimensions; anchor "
                f"is {tuple(anchor.shape)}, {name} {tuple(each.shape)}"
            )
    margin = above_zero(op, margin)
    if distance_function is not None and not callable(distance_function):
        raise TypeError(
            f"{op}: distance_function must be a function of two tensors, got {distance_function!r}"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if bool_of(op, "swap", swap):
        far = _core.minimum(far, distance(positive, negative))
    return _reduced(op, (near - far + margin).clamp_min(0), reduction)

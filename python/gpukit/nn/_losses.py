"""Losses of predictions and targets: torch's names and defaults."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of, number_for, tensor_of
from gpukit._autocast import active_for
from gpukit._core import Tensor
from gpukit._dtypes import HALF, by_kind
from gpukit.errors import ArgumentError, GpukitWarning, ShapeError
from gpukit.nn._named_nodes import names_node
from gpukit.nn._older_arguments import with_older_arguments
from gpukit.nn._rectifiers import logsigmoid

_STAYS = by_kind(bool=False, integer=False, floating=True, complex=True)
_MIN_VARIANCE = 2305843 * 2.0**-61  # 1e-12 as a float32, which torch divides by in float64 too


def _reduced(op: str, losses: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction != "none":
        raise ArgumentError(f"{op}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
    return losses


def _check_sizes(op: str, input: Tensor, target: Tensor) -> None:
    tensor_of(op, "input", input)
    tensor_of(op, "target", target)
    if input.shape != target.shape:
        warnings.warn(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; they are "
            "broadcast, which is rarely intended.",
            GpukitWarning,
            stacklevel=_caller_level(),
        )


def _caller_level() -> int:
    """The stacklevel, in the function that calls this one, of the first frame outside gpukit.nn."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("gpukit.nn."):
        frame, level = frame.f_back, level + 1
    return level


def _of_one_dtype(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Of two floating dtypes the wider one, also where one tensor is 0-d, which is weak else."""
    if input.dtype is target.dtype or not (input.ndim == 0) ^ (target.ndim == 0):
        return input, target
    if not (input.is_floating_point() and target.is_floating_point()):
        return input, target
    dtype = _core.promote_types(input.dtype, target.dtype)
    return input.to(dtype), target.to(dtype)


def _distance(input: Tensor, target: Tensor) -> Tensor:
    """The difference, unrecorded: losses with kinks define their own derivatives."""
    return input.detach() - target.detach()


@with_older_arguments
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of the squared differences.

    Args:
        input: Predictions.
        target: The same shape.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.mse_loss(gpukit.zeros(2), gpukit.ones(2))
        tensor(1.)
    """
    _check_sizes("mse_loss", input, target)
    input, target = _of_one_dtype(input, target)
    return _core.squared_error(input, target, reduction)


@with_older_arguments
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the mean of the absolute differences.

    Args:
        input: A tensor of any shape.
        target: Of input's shape.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d, or of the broadcast shape with 'none'; other shapes than equal ones are warned of.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: reduction is not 'mean', 'sum' or 'none'.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.l1_loss(gpukit.zeros(2), gpukit.tensor([1.0, -3.0]))
        tensor(2.)
    """
    _check_sizes("l1_loss", input, target)
    input, target = _of_one_dtype(input, target)
    return _reduced("l1_loss", (input - target).abs(), reduction)


def _smooth_node(
    input: Tensor,  # noqa: ARG001 (called as the function is)
    target: Tensor,  # noqa: ARG001
    reduction: str = "mean",
    beta: float = 1.0,
) -> str:
    if beta:
        return "SmoothL1LossBackward0"
    return {"mean": "MeanBackward0", "sum": "SumBackward0"}.get(reduction, "AbsBackward0")


@with_older_arguments
@names_node(_smooth_node)
def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return the mean of squares of small differences and of absolute values of large ones.

    Args:
        input: A tensor of any shape.
        target: Of input's shape.
        reduction: 'mean', 'sum' or 'none'.
        beta: Below it a difference counts d² / (2 * beta), above it d - beta / 2; 0 is l1_loss.

    Raises:
        ValueError: beta is negative, or another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.smooth_l1_loss(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]))
        tensor(1.5000)
    """
    _check_sizes("smooth_l1_loss", input, target)
    input, target = _of_one_dtype(input, target)
    beta = number_for("smooth_l1_loss", "beta", beta, input)
    if not beta >= 0:
        raise ArgumentError(f"smooth_l1_loss: beta must be 0 or more, got {beta}")
    if beta == 0:
        return _reduced("smooth_l1_loss", (input - target).abs(), reduction)
    d = _distance(input, target)
    size = d.abs()
    losses = _core.where(size < beta, size * size * (0.5 / beta), size - 0.5 * beta)
    losses = _core.with_slopes("SmoothL1LossBackward0", losses, [input, target], beta)
    return _reduced("smooth_l1_loss", losses, reduction)


@names_node("HuberLossBackward0")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Return the mean of squares of small differences and of multiples of large ones.

    Args:
        input: A tensor of any shape.
        target: Of input's shape.
        reduction: 'mean', 'sum' or 'none'.
        delta: Up to it a difference counts d² / 2, above it delta * (d - delta / 2).

    Returns:
        0-d, or of the broadcast shape with 'none'; of input's dtype if that is floating.

    Raises:
        ValueError: delta is not positive, or another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.huber_loss(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]))
        tensor(1.5000)
    """
    _check_sizes("huber_loss", input, target)
    delta = number_for("huber_loss", "delta", delta, input)
    if not delta > 0:
        raise ArgumentError(f"huber_loss: delta must be positive, got {delta}")
    d = _distance(input, target)
    size = d.abs()
    losses = _core.where(size <= delta, size * size * 0.5, (size - 0.5 * delta) * delta)
    losses = _core.with_slopes("HuberLossBackward0", losses, [input, target], delta)
    if losses.dtype != input.dtype and _STAYS[input.dtype]:
        losses = losses.to(input.dtype)
    return _reduced("huber_loss", losses, reduction)


@with_older_arguments
@names_node("BinaryCrossEntropyBackward0")
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the binary cross-entropy of probabilities; a logarithm is never below -100.

    Args:
        input: Probabilities, for example of a sigmoid.
        target: Probabilities, the same shape.
        weight: Of each element, or what broadcasts to them.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, half types computed in float32. Its gradient is (input - target) divided by
        input * (1 - input), or by 1e-12 if that is less.

    Raises:
        ShapeError: input and target differ in shape.
        ValueError: Another reduction; or, on the CPU, input or target is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.binary_cross_entropy(gpukit.full((2,), 0.5), gpukit.ones(2))
        tensor(0.6931)
    """
    if weight is not None:
        tensor_of("binary_cross_entropy", "weight", weight)
    op = "binary_cross_entropy"
    tensor_of(op, "input", input)
    tensor_of(op, "target", target)
    if input.shape != target.shape:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; they must be equal"
        )
    if input.is_cpu and not bool(((input >= 0) & (input <= 1)).all()):
        raise ArgumentError(
            f"{op}: input must be between 0 and 1. Put a sigmoid before it, or pass the logits to "
            "binary_cross_entropy_with_logits (BCEWithLogitsLoss)"
        )
    if target.is_cpu and not bool(((target >= 0) & (target <= 1)).all()):
        raise ArgumentError(
            f"{op}: target must be between 0 and 1. Class numbers of two classes are 0 and 1; of "
            "more, use cross_entropy"
        )
    if input.dtype in HALF:
        wide = weight.float() if isinstance(weight, Tensor) else weight
        loss = binary_cross_entropy(input.float(), target.float(), wide, reduction)
        return loss if active_for(input) else loss.to(input.dtype)
    p, wanted = input.detach(), target.detach()
    yes, no = p.log(), (-p).log1p()
    losses = (wanted - 1) * no.clamp(min=-100) - wanted * yes.clamp(min=-100)
    losses = _core.with_slopes(
        "BinaryCrossEntropyBackward0", losses, [input, target], _MIN_VARIANCE
    )
    return _reduced(op, losses if weight is None else losses * weight, reduction)


@with_older_arguments
@names_node("BinaryCrossEntropyWithLogitsBackward0")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the binary cross-entropy of sigmoid(input), without overflow.

    Args:
        input: Logits.
        target: Probabilities, the same shape.
        weight: Of each element, or what broadcasts to them.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: Of the positive class.

    Raises:
        ShapeError: input and target differ in shape.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.binary_cross_entropy_with_logits(gpukit.zeros(1), gpukit.ones(1))
        tensor(0.6931)
    """
    tensor_of("binary_cross_entropy_with_logits", "input", input)
    tensor_of("binary_cross_entropy_with_logits", "target", target)
    if weight is not None:
        tensor_of("binary_cross_entropy_with_logits", "weight", weight)
    if pos_weight is not None:
        tensor_of("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
    op = "binary_cross_entropy_with_logits"
    if input.shape != target.shape:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; they must be equal"
        )
    if pos_weight is None:
        losses = (1 - target) * input - logsigmoid(input)
    else:
        x, wanted, positive = input.detach(), target.detach(), pos_weight.detach()
        losses = (1 - wanted) * x - logsigmoid(x) * ((positive - 1) * wanted + 1)
        losses = _core.with_slopes(  # the parts' own slopes are inf - inf at an infinite logit
            "BinaryCrossEntropyWithLogitsBackward0", losses, [input, target, pos_weight], 0.0
        )
    return _reduced(op, losses if weight is None else losses * weight, reduction)


def _rows_of_classes(op: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input as (rows, classes) and target as (rows), from torch's (N, C, …) and (N, …)."""
    if input.ndim == 1 and target.ndim == 0:
        return input.unsqueeze(0), target.unsqueeze(0)
    wanted = (*input.shape[:1], *input.shape[2:])
    if input.ndim < 2 or tuple(target.shape) != wanted:
        raise ShapeError(
            f"{op}: input is {tuple(input.shape)}, target {tuple(target.shape)}; input must be "
            "(rows, classes, …) and target (rows, …)"
        )
    if input.ndim == 2:
        return input, target
    order = (0, *range(2, input.ndim), 1)
    return input.permute(order).reshape(-1, input.shape[1]), target.reshape(-1)


def _likelihood_node(input: Tensor, *_: Any, **__: Any) -> str:
    return "NllLoss2DBackward0" if input.ndim > 2 else "NllLossBackward0"


@with_older_arguments
@names_node(_likelihood_node)
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of classes, from log-probabilities.

    Args:
        input: Log-probabilities (rows, classes, …).
        target: Class numbers (rows, …), int64.
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.

    Raises:
        ShapeError: The shapes do not fit.
        ValueError: Another reduction.
        IndexError: A target is not a valid class; on a GPU, raised at the next wait.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.nll_loss(gpukit.tensor([[-0.5, -1.0]]), gpukit.tensor([1]))
        tensor(1.)
    """
    tensor_of("nll_loss", "input", input)
    tensor_of("nll_loss", "target", target)
    if weight is not None:
        tensor_of("nll_loss", "weight", weight)
    ignore_index = int_of("nll_loss", "ignore_index", ignore_index)
    if input.dtype in HALF:
        wide = None if weight is None else weight.float()
        loss = nll_loss(input.float(), target, wide, ignore_index, reduction)
        return loss if active_for(input) else loss.to(input.dtype)
    rows, classes = _rows_of_classes("nll_loss", input, target)
    counts = classes != ignore_index
    known = _core.where(counts, classes, _core.zeros_like(classes))
    picked = _core.pick_classes(rows, known.unsqueeze(1)).squeeze(1)  # checks the classes
    share = counts.to(rows.dtype)
    if weight is not None:  # what does not count takes no weight, not even an infinite one
        share = _core.where(counts, weight.index_select(0, known), 0.0)
    losses = -_core.where(counts, picked, 0.0) * share
    if reduction == "mean":
        return losses.sum() / share.sum()
    return _reduced("nll_loss", losses, reduction).reshape(
        target.shape if reduction == "none" else ()
    )


@with_older_arguments
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of softmax(input): logits in, softmax and loss in one pass.

    Args:
        input: Logits (rows, classes, …).
        target: Class numbers (rows, …), int64; or probabilities, input's shape.
        weight: One number a class.
        ignore_index: Rows of this class count nothing.
        reduction: 'mean' (by weight), 'sum' or 'none'.
        label_smoothing: Share of the target that is distributed over all classes.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: Class numbers that are not int64, or logits that are not floating.
        IndexError: A target is not a valid class; on a GPU, raised at the next wait.
        ValueError: Another reduction, or a smoothing that is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.cross_entropy(gpukit.zeros(1, 2), gpukit.tensor([0]))
        tensor(0.6931)
    """
    tensor_of("cross_entropy", "input", input)
    tensor_of("cross_entropy", "target", target)
    if weight is not None:
        tensor_of("cross_entropy", "weight", weight)
    ignore_index = int_of("cross_entropy", "ignore_index", ignore_index)
    if input.dtype is _core.float32 and target.dtype is _core.int64 and input.ndim == 2:
        return _of_rows(input, target, weight, ignore_index, label_smoothing, reduction)
    if target.is_floating_point() and target.shape == input.shape:
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    if input.dtype in HALF:
        wide = None if weight is None else weight.float()
        loss = cross_entropy(input.float(), target, wide, ignore_index, reduction, label_smoothing)
        return loss if active_for(input) else loss.to(input.dtype)
    if input.ndim == 2:
        return _of_rows(input, target, weight, ignore_index, label_smoothing, reduction)
    rows, classes = _rows_of_classes("cross_entropy", input, target)
    loss = _core.cross_entropy(rows, classes, weight, ignore_index, label_smoothing, reduction)
    loss = loss.reshape(target.shape) if reduction == "none" else loss
    return _named("AddBackward0" if label_smoothing else _likelihood_node(input), loss)


def _of_rows(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignored: int,
    smooth: float,
    reduction: str,
) -> Tensor:
    loss: Tensor = _core.cross_entropy(input, target, weight, ignored, smooth, reduction)
    return _named("AddBackward0", loss) if smooth else loss


def _named(node: str, loss: Tensor) -> Tensor:
    named: Tensor = _core.name_nodes(node, loss)
    return named


def _soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float
) -> Tensor:
    """With a probability for every class."""
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    terms = _core.log_softmax(input, dim) * target
    if weight is not None:
        shape = [1] * input.ndim
        shape[dim] = classes
        terms = terms * weight.reshape(shape)
    losses = -terms.sum(dim)
    if reduction == "mean":
        mean = losses.sum() / max(1, input.numel() // max(1, classes))
        return _named("DivBackward1", mean)
    return _named("NegBackward0", _reduced("cross_entropy", losses, reduction))

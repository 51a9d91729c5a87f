"""Connectionist temporal classification: the loss of labels without their times.

Graves, Fernández, Gomez and Schmidhuber, 2006, doi:10.1145/1143844.1143891. Between the labels, and
at both ends, there may be blanks; `states` are the labels with a blank around each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._arguments import bool_of, int_of, ints_of, tensor_of
from gpukit._core import Tensor
from gpukit.autograd.function import Function
from gpukit.errors import ArgumentError, DTypeError, ShapeError


class _Labels(NamedTuple):
    """The states of a batch: (N, 2 * longest + 1)."""

    states: Tensor
    skips: Tensor  # True where a state may follow the one before the last
    last: Tensor  # (N, 1), the last state of each sequence
    steps: Tensor  # (N, 1), the steps of each input


def _added(*terms: Tensor) -> Tensor:
    """log(Σ exp), where all may be -inf."""
    most = terms[0]
    for term in terms[1:]:
        most = _core.maximum(most, term)
    shift = most.masked_fill(most == -math.inf, 0)
    total = (terms[0] - shift).exp()
    for term in terms[1:]:
        total = total + (term - shift).exp()
    return total.log() + shift


def _moved(states: Tensor, by: int) -> Tensor:
    """Each state's value `by` further on; -inf comes in."""
    width = states.shape[1]
    gap = _core.full_like(states[:, : min(abs(by), width)], -math.inf)
    if by > 0:
        return _core.cat([gap, states[:, : width - gap.shape[1]]], 1)
    return _core.cat([states[:, gap.shape[1] :], gap], 1)


def _forward(emitted: Tensor, labels: _Labels) -> tuple[Tensor, Tensor]:
    """Log of the probability to be in each state, by step, and that of all of each input."""
    width = emitted.shape[2]
    place = _core.arange(width, device=emitted.device).unsqueeze(0)
    impossible = _core.full_like(emitted[0], -math.inf)
    now = _core.where((place <= 1) & (place <= labels.last), emitted[0], impossible)
    steps = [now]
    for emission in emitted[1:]:
        skipped = _core.where(labels.skips, _moved(now, 2), impossible)
        now = _added(now, _moved(now, 1), skipped) + emission
        steps.append(now)
    alphas = _core.stack(steps)
    ends = alphas.gather(0, (labels.steps - 1).clamp(min=0).expand(-1, width).unsqueeze(0))[0]
    final = ends.gather(1, labels.last)
    before = ends.gather(1, (labels.last - 1).clamp(min=0))
    before = before.masked_fill(labels.last == 0, -math.inf)
    total = _added(final, before)
    # Without steps only the empty sequence of labels is possible.
    nothing = _core.zeros_like(total).masked_fill(labels.last > 0, -math.inf)
    return alphas, _core.where(labels.steps == 0, nothing, total).squeeze(1)


def _backward(emitted: Tensor, labels: _Labels) -> Tensor:
    """Log of the probability of what comes from each state on, by step."""
    place = _core.arange(emitted.shape[2], device=emitted.device).unsqueeze(0)
    ends = (place == labels.last) | ((place == labels.last - 1) & (labels.last > 0))
    impossible = _core.full_like(emitted[0], -math.inf)
    may_skip = _core.cat([labels.skips[:, 2:], labels.skips[:, :2].logical_and(False)], 1)
    now, steps = impossible, []
    for step in range(len(emitted) - 1, -1, -1):
        skipped = _core.where(may_skip, _moved(now, -2), impossible)
        now = _added(now, _moved(now, -1), skipped) + emitted[step]
        begins = _core.where(ends, emitted[step], impossible)
        now = _core.where(labels.steps - 1 == step, begins, now)
        steps.append(now)
    return _core.stack(steps[::-1])


class _CTC(Function):
    """Its derivative is torch's: of logits whose log_softmax log_probs is."""

    @staticmethod
    def forward(ctx: Any, log_probs: Tensor, labels: _Labels, zero_infinity: bool) -> Tensor:
        """The negated logarithms of the probabilities, (N,)."""
        index = labels.states.unsqueeze(0).expand(len(log_probs), -1, -1)
        emitted = log_probs.detach().gather(2, index)
        alphas, total = _forward(emitted, labels)
        ctx.save_for_backward(log_probs)
        ctx.parts = (index, emitted, alphas, total, labels, zero_infinity)
        loss = -total
        return loss.masked_fill(loss == math.inf, 0) if zero_infinity else loss

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """exp(log_probs) less the share of each class in the sequences that count."""
        (log_probs,) = ctx.saved_tensors
        index, emitted, alphas, total, labels, zero_infinity = ctx.parts
        both = alphas + _backward(emitted, labels)
        shares = (both - emitted - total.unsqueeze(1)).exp()
        shares = shares.masked_fill(both == -math.inf, 0)
        counted = _core.zeros_like(log_probs).scatter_add(2, index, shares)
        result = log_probs.detach().exp() - counted
        lost = (total == -math.inf).reshape(1, -1, 1)
        result = result.masked_fill(lost, 0 if zero_infinity else math.nan)
        step = _core.arange(len(log_probs), device=log_probs.device).reshape(-1, 1, 1)
        result = result.masked_fill(step >= labels.steps.unsqueeze(0), 0)
        return result * gradient.reshape(1, -1, 1), None, None


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return the negated log-probability of the labels, over all their alignments with the input.

    Args:
        log_probs: Logarithms of probabilities, as log_softmax gives them: (T, N, C), or (T, C).
        targets: Labels: (N, S), or those of all sequences one after the other.
        input_lengths: The steps of each input, (N,).
        target_lengths: The labels of each sequence, (N,).
        blank: The class that is no label.
        reduction: 'mean' of the losses divided by their lengths, 'sum' or 'none'.
        zero_infinity: Losses of labels that do not fit into their input are 0, not infinite.

    Returns:
        0-d; (N,) with 'none'. The derivative is that of the logits, as in torch.

    Raises:
        ShapeError: Shapes do not fit.
        ValueError: A length or a label is out of range, or another reduction.
        DTypeError: log_probs is not floating, or targets are not whole numbers.

    Example:
        >>> import gpukit
        >>> x = gpukit.zeros(2, 1, 3).log_softmax(2)
        >>> gpukit.nn.functional.ctc_loss(x, gpukit.tensor([[1]]), [2], [1], reduction="sum")
        tensor(1.0986)
    """
    op = "ctc_loss"
    if reduction not in {"mean", "sum", "none"}:
        raise ArgumentError(f"{op}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")
    tensor_of(op, "log_probs", log_probs)
    tensor_of(op, "targets", targets)
    if not log_probs.is_floating_point():
        raise DTypeError(f"{op}: log_probs must be floating, it is {log_probs.dtype}")
    if targets.is_floating_point() or targets.dtype is _core.bool:
        raise DTypeError(f"{op}: targets must be whole numbers, they are {targets.dtype}")
    single = log_probs.ndim == 2
    if log_probs.ndim not in {2, 3} or not len(log_probs):
        raise ShapeError(
            f"{op}: log_probs must be (T, N, C) or (T, C) with steps, its shape is "
            f"{tuple(log_probs.shape)}"
        )
    probabilities = log_probs.unsqueeze(1) if single else log_probs
    steps = _lengths(op, "input_lengths", input_lengths, probabilities, len(probabilities))
    counts = _lengths(op, "target_lengths", target_lengths, probabilities, None)
    blank = int_of(op, "blank", blank)
    if not 0 <= blank < probabilities.shape[2]:
        raise ArgumentError(
            f"{op}: blank={blank} is not one of the {probabilities.shape[2]} classes of log_probs "
            f"{tuple(log_probs.shape)}"
        )
    padded = _padded(op, targets, counts, probabilities, blank)
    labels = _labels(padded, steps, counts, blank)
    losses: Tensor = _CTC.apply(probabilities, labels, bool_of(op, "zero_infinity", zero_infinity))
    losses = _core.name_nodes("CtcLossBackward0", losses)
    if reduction == "sum":
        return losses.sum()
    if reduction == "mean":
        sizes = _core.tensor(counts, dtype=losses.dtype, device=losses.device)
        return (losses / sizes.clamp(min=1)).mean()
    return losses.squeeze(0) if single else losses


def _lengths(op: str, name: str, given: Any, like: Tensor, most: int | None) -> list[int]:
    count = like.shape[1]
    if isinstance(given, Tensor) and not given.ndim and count != 1:
        raise TypeError(f"{op}: {name} must be {count} ints, got a tensor without dimensions")
    values = given.flatten().tolist() if isinstance(given, Tensor) else given
    lengths = ints_of(op, name, values)
    if len(lengths) != count:
        raise ShapeError(
            f"{op}: {name} has {len(lengths)} numbers for {count} sequences of log_probs "
            f"{tuple(like.shape)}"
        )
    for length in lengths:
        if length < 0 or (most is not None and length > most):
            limit = "" if most is None else f" and at most the {most} steps of log_probs"
            raise ArgumentError(f"{op}: {name} must be 0 or more{limit}, got {length}")
    return list(lengths)


def _padded(op: str, targets: Tensor, counts: list[int], like: Tensor, blank: int) -> Tensor:
    """(N, longest), with blanks behind."""
    longest = max(counts, default=0)
    classes = like.shape[2]
    if targets.ndim == 2:
        if targets.shape[0] != len(counts) or targets.shape[1] < longest:
            raise ShapeError(
                f"{op}: targets must be ({len(counts)}, {longest} or more), their shape is "
                f"{tuple(targets.shape)}"
            )
        rows = targets[:, :longest].long()
    else:
        if targets.ndim != 1 or len(targets) != sum(counts):
            raise ShapeError(
                f"{op}: targets must be (N, S), or 1-d with the {sum(counts)} labels of "
                f"target_lengths; their shape is {tuple(targets.shape)}"
            )
        parts = targets.long().split(counts) if counts else []
        rows = _core.full((len(counts), longest), blank, dtype=_core.int64, device=targets.device)
        for row, part in enumerate(parts):
            rows[row, : len(part)] = part
    rows = rows.to(like.device)
    size = _core.tensor(counts, dtype=_core.int64, device=like.device).unsqueeze(1)
    place = _core.arange(longest, device=like.device)
    rows = _core.where(place < size, rows, _core.full_like(rows, blank))
    if rows.numel() and not 0 <= int(rows.min()) <= int(rows.max()) < classes:
        wrong = int(rows.min()) if int(rows.min()) < 0 else int(rows.max())
        raise ArgumentError(
            f"{op}: targets must be from 0 to {classes - 1}, the classes of log_probs "
            f"{tuple(like.shape)}, got {wrong}"
        )
    return rows


def _labels(padded: Tensor, steps: list[int], counts: list[int], blank: int) -> _Labels:
    count, longest = padded.shape
    device = padded.device
    blanks = _core.full_like(padded, blank)
    pairs = _core.stack([blanks, padded], 2).reshape(count, 2 * longest)
    end = _core.full((count, 1), blank, dtype=_core.int64, device=device)
    states = _core.cat([pairs, end], 1)
    before = _core.cat([end, end, states[:, :-2]], 1)[:, : states.shape[1]]
    skips = (states != blank) & (states != before)
    last = 2 * _core.tensor(counts, dtype=_core.int64, device=device).unsqueeze(1)
    times = _core.tensor(steps, dtype=_core.int64, device=device).unsqueeze(1)
    return _Labels(states, skips, last, times)

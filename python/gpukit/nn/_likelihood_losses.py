"""Losses that are logarithms of likelihoods: Kullback-Leibler, Poisson, Gaussian."""

from __future__ import annotations

import math

from gpukit import _core
from gpukit._arguments import bool_of, number_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError
from gpukit.nn._losses import _reduced
from gpukit.nn._older_arguments import with_older_arguments
from gpukit.nn._similarity import _pair


@with_older_arguments
def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return the Kullback-Leibler divergence of target from exp(input), element by element.

    Args:
        input: Logarithms of probabilities.
        target: Probabilities, or their logarithms with log_target; of input's shape.
        reduction: 'batchmean' (the sum divided by the size of the first dimension, which is the
            divergence), 'mean', 'sum' or 'none'.
        log_target: target holds logarithms.

    Returns:
        target * (log(target) - input), 0 where target is 0.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> p = gpukit.tensor([[0.5, 0.5]])
        >>> gpukit.nn.functional.kl_div(p.log(), gpukit.tensor([[1.0, 0.0]]), "batchmean")
        tensor(0.6931)
    """
    _pair("kl_div", input=input, target=target)
    if bool_of("kl_div", "log_target", log_target):
        losses = target.exp() * (target - input)
    else:
        present = _core.where(target == 0, 1.0, target)
        losses = target * present.log() - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0] if input.ndim else losses.sum()
    if reduction not in {"mean", "sum", "none"}:
        raise ArgumentError(
            f"kl_div: reduction must be 'batchmean', 'mean', 'sum' or 'none', got {reduction!r}"
        )
    return _reduced("kl_div", losses, reduction)


@with_older_arguments
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean negative log-likelihood of counts from Poisson distributions.

    Args:
        input: Logarithms of the rates, or the rates.
        target: Counts, of input's shape.
        log_input: input holds logarithms: exp(input) - target * input; else input - target *
            log(input + eps).
        full: Add Stirling's approximation of log(target!) where target is above 1.
        eps: Keeps the logarithm of a rate of 0 finite.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; the broadcast shape with 'none'.

    Raises:
        ShapeError: The shapes do not broadcast.
        ValueError: Another reduction.

    Example:
        >>> import gpukit
        >>> gpukit.nn.functional.poisson_nll_loss(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]))
        tensor(1.)
    """
    op = "poisson_nll_loss"
    _pair(op, input=input, target=target)
    if bool_of(op, "log_input", log_input):
        losses = input.exp() - target * input
    else:
        losses = input - target * (input + number_of(op, "eps", eps)).log()
    if bool_of(op, "full", full):
        above = _core.where(target > 1, target, 1.0)
        stirling = above * above.log() - above + 0.5 * (2 * math.pi * above).log()
        losses = losses + _core.where(target > 1, stirling, 0.0)
    return _reduced(op, losses, reduction)


@with_older_arguments
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean negative log-likelihood of numbers from normal distributions.

    Args:
        input: The means.
        target: The numbers, of input's shape.
        var: The variances: of input's shape, of that without its last dimension, with size 1
            there, or one number. They count as eps at least.
        full: Add log(2π) / 2.
        eps: The least variance; above 0.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        0-d; input's shape with 'none': (log(var) + (input - target)² / var) / 2.

    Raises:
        ValueError: var has another size or a negative element (waits for it), eps is not above 0,
            or another reduction.

    Example:
        >>> import gpukit
        >>> x = gpukit.zeros(2)
        >>> gpukit.nn.functional.gaussian_nll_loss(x, gpukit.ones(2), gpukit.ones(2))
        tensor(0.5000)
    """
    op = "gaussian_nll_loss"
    _pair(op, input=input, target=target)
    eps = number_of(op, "eps", eps)
    if eps <= 0:
        raise ArgumentError(f"{op}: eps must be above 0, got {eps}")
    if not isinstance(var, Tensor):
        var = _core.full_like(input, number_of(op, "var", var))
    elif var.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif tuple(input.shape[:-1]) != tuple(var.shape[:-1]) or var.shape[-1] != 1:
            raise ArgumentError(
                f"{op}: var is {tuple(var.shape)}, input {tuple(input.shape)}; var must have "
                "input's shape, or none or 1 in its last dimension"
            )
    if (var < 0).any():
        raise ArgumentError(f"{op}: var has a negative element")
    var = var + (var.detach().clamp(min=eps) - var.detach())  # a limit that passes the gradient
    losses = 0.5 * (var.log() + (input - target) * (input - target) / var)
    if bool_of(op, "full", full):
        losses = losses + 0.5 * math.log(2 * math.pi)
    return _reduced(op, losses, reduction)

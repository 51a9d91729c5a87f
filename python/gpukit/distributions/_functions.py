"""Drawn counts as functions of gpukit itself."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Generator, Tensor
from gpukit.autograd import no_grad
from gpukit.distributions import _draws
from gpukit.errors import ArgumentError, DTypeError


def _checked(function: str, name: str, value: Tensor) -> Tensor:
    x = tensor_of(function, name, value).detach()
    if not x.is_floating_point():
        raise DTypeError(f"{function}: {name} is {x.dtype.name}; use {name}.float()")
    if x.is_cpu and not bool((x >= 0).all()):
        raise ArgumentError(f"{function}: {name} must be 0 or more")
    return x


def _check_generator(function: str, generator: Any) -> None:
    if generator is not None and not isinstance(generator, Generator):
        kind = type(generator).__name__
        raise TypeError(f"{function}: generator must be a gpukit.Generator, got {kind}")


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return numbers of Poisson distributions, one for each rate.

    Args:
        input: The rates, floating, 0 or more.
        generator: What the numbers are drawn from; None means the default generator.

    Raises:
        DTypeError: `input` is not floating.
        ValueError: A rate is negative.

    Example:
        >>> import gpukit
        >>> gpukit.poisson(gpukit.zeros(2))
        tensor([0., 0.])
    """
    rates = _checked("poisson", "input", input)
    _check_generator("poisson", generator)
    with no_grad():
        return _draws.poisson(rates, generator)


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Return numbers of binomial distributions: how many of `count` trials succeed.

    Args:
        count: Numbers of trials, floating.
        prob: The chance of success; broadcasts with `count`.
        generator: What the numbers are drawn from; None means the default generator.

    Raises:
        DTypeError: One is not floating.
        ValueError: A number is negative.

    Example:
        >>> import gpukit
        >>> gpukit.binomial(gpukit.tensor([5.0]), gpukit.tensor([1.0]))
        tensor([5.])
    """
    trials = _checked("binomial", "count", count)
    chances = _checked("binomial", "prob", prob)
    _check_generator("binomial", generator)
    with no_grad():
        return _draws.binomial(*_broadcast(trials, chances), generator)


def _broadcast(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    from gpukit import _core

    pair = _core.broadcast_tensors(first, second)
    return pair[0], pair[1]

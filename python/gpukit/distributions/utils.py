"""What distributions of one's own are made with: parameters of one shape, logits, lazy ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.distributions import distribution

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits"]


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Make tensors of one shape of numbers and tensors.

    Args:
        values: Numbers, which take a tensor's dtype and device, and tensors.

    Returns:
        The tensors, in the order given.

    Raises:
        ValueError: One is neither a number nor a tensor.

    Example:
        >>> import gpukit
        >>> gpukit.distributions.utils.broadcast_all(1.0, gpukit.zeros(2))
        (tensor([1., 1.]), tensor([0., 0.]))
    """
    return tuple(distribution.broadcast_all("broadcast_all", *values))


def clamp_probs(probs: Tensor) -> Tensor:
    """Keep probabilities away from 0 and 1, so that their logarithms are finite.

    Args:
        probs: A floating tensor.

    Example:
        >>> import gpukit
        >>> gpukit.distributions.utils.clamp_probs(gpukit.tensor([0.0, 0.5]))
        tensor([1.1921e-07, 5.0000e-01])
    """
    return distribution.clamped(tensor_of("clamp_probs", "probs", probs))


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the probabilities of logits.

    Args:
        logits: Unnormalised logarithms, or logarithms of odds.
        is_binary: Whether each is of an event by itself; else the last dimension has the classes.

    Example:
        >>> import gpukit
        >>> gpukit.distributions.utils.logits_to_probs(gpukit.zeros(2))
        tensor([0.5000, 0.5000])
    """
    x = tensor_of("logits_to_probs", "logits", logits)
    return distribution.probabilities_of(x, binary=bool(is_binary))


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logarithms of probabilities, or of their odds.

    Args:
        probs: Probabilities; those of 0 and 1 give large numbers, not infinite ones.
        is_binary: Whether each is of an event by itself.

    Example:
        >>> import gpukit
        >>> gpukit.distributions.utils.probs_to_logits(gpukit.tensor([0.5]), is_binary=True)
        tensor([0.])
    """
    x = tensor_of("probs_to_logits", "probs", probs)
    return distribution.logits_of(x, binary=bool(is_binary))


def lazy_property(wrapped: Callable[[Any], Any]) -> Any:
    """Make a property that is computed at its first use, with its graph, and kept.

    Args:
        wrapped: The method that computes it.

    Example:
        >>> import gpukit
        >>> class Twice:
        ...     @gpukit.distributions.utils.lazy_property
        ...     def value(self):
        ...         return gpukit.ones(1) * 2
        >>> Twice().value
        tensor([2.])
    """
    return distribution.on_demand(wrapped)


__getattr__ = module_getattr(__name__)

"""Relaxed distributions: continuous ones near a class or a bit, with gradients (Gumbel-softmax)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit._core import Tensor
from gpukit.distributions import constraints
from gpukit.distributions.classes import _Classes
from gpukit.distributions.counts import _Odds
from gpukit.distributions.distribution import clamped, uniform_like
from gpukit.distributions.joined import TransformedDistribution
from gpukit.distributions.transforms import ExpTransform, SigmoidTransform

__all__ = ["RelaxedBernoulli", "RelaxedOneHotCategorical"]


class _Relaxed(TransformedDistribution):
    """A distribution of logarithms, transformed."""

    has_rsample = True
    _parts: ClassVar[tuple[Any, Any]]  # the class of the logarithms, and of the transform

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        logarithms, transform = self._parts
        base = logarithms(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, transform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        """How far the values are from 0 and 1."""
        return self.base_dist.temperature  # type: ignore[no-any-return]

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities, or of the odds."""
        return self.base_dist.logits  # type: ignore[no-any-return]

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs  # type: ignore[no-any-return]


class _LogRelaxedClasses(_Classes):
    """The logarithm of RelaxedOneHotCategorical."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._begin(probs, logits, validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        uniforms = clamped(uniform_like(self, self.logits, sample_shape))
        scores = (self.logits - (-uniforms.log()).log()) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        classes = self._event_shape[0]
        score = self.logits - value * self.temperature
        score = (score - score.logsumexp(-1, keepdim=True)).sum(-1)
        return score + math.lgamma(classes) + self.temperature.log() * (classes - 1)  # type: ignore[no-any-return]


class RelaxedOneHotCategorical(_Relaxed):
    """A vector near that of a class, with gradients: the Gumbel-softmax distribution.

    Args:
        temperature: Above 0; near 0 the vectors are nearly those of OneHotCategorical.
        probs: Weights of the classes along the last dimension, 0 or more; they are normalised.
        logits: Logarithms of weights, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import RelaxedOneHotCategorical
        >>> near = RelaxedOneHotCategorical(gpukit.tensor(0.5), logits=gpukit.zeros(3))
        >>> near.rsample().shape
        (3,)
    """

    arg_constraints: Any = _Classes.arg_constraints
    support = constraints.simplex
    _parts = (_LogRelaxedClasses, ExpTransform)


class _LogitRelaxedBernoulli(_Odds):
    """The logarithm of the odds of RelaxedBernoulli."""

    support = constraints.real
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {"probs": 0, "logits": 0, "temperature": 0}

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        (self.temperature,) = self._take(probs, logits, temperature)
        super().__init__(self._given.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = clamped(self.probs)
        u = clamped(uniform_like(self, probs, sample_shape))
        odds = u.log() - (-u).log1p() + probs.log() - (-probs).log1p()
        return odds / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = self.logits - value * self.temperature
        return self.temperature.log() + far - 2 * far.exp().log1p()  # type: ignore[no-any-return]


class RelaxedBernoulli(_Relaxed):
    """A number between 0 and 1 that is near one of them, with gradients.

    Args:
        temperature: Above 0; near 0 the numbers are nearly those of Bernoulli.
        probs: The probability of 1.
        logits: The logarithm of its odds, in place of probs.
        validate_args: Check parameters and values.

    Raises:
        ValueError: Both or neither of probs and logits are given.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import RelaxedBernoulli
        >>> RelaxedBernoulli(gpukit.tensor(0.5), probs=gpukit.tensor(0.3)).probs
        tensor(0.3000)
    """

    arg_constraints: Any = _Odds.arg_constraints
    support = constraints.unit_interval
    _parts = (_LogitRelaxedBernoulli, SigmoidTransform)

"""Distributions of angles: von Mises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.distributions import constraints
from gpukit.distributions._draws import von_mises
from gpukit.distributions.distribution import LOG_2PI, Distribution, broadcast_all

__all__ = ["VonMises"]


class VonMises(Distribution):
    """The von Mises distribution of an angle in radians (Mardia and Jupp 2000, section 3.5.4).

    `variance` is the circular one, between 0 and 1.

    Args:
        loc: The mean direction.
        concentration: Above 0; large values give small angles from loc.
        validate_args: Check parameters and values.

    Raises:
        ValueError: concentration is not positive.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import VonMises
        >>> VonMises(0.0, 1.0).log_prob(gpukit.tensor(0.0))
        tensor(-1.0738)
    """

    arg_constraints: Any = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.real
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "concentration": 0}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all("VonMises", loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        return 1 - _core.i1e(k) / _core.i0e(k)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            angles = self.loc + von_mises(self.concentration.expand(shape))
            return (angles + math.pi) % (2 * math.pi) - math.pi

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - LOG_2PI - _core.i0e(k).log()

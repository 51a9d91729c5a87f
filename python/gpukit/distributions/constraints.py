"""What parameters and values of distributions must satisfy; `check` says where they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit._tensors.limits import finfo
from gpukit.errors import ArgumentError

__all__ = [
    "Constraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

_SUM_TOLERANCE = 1e-6


class Constraint:
    """Base of constraints: a region in which a value is valid.

    Example:
        >>> import gpukit
        >>> gpukit.distributions.constraints.positive.check(gpukit.tensor([1.0, 0.0]))
        tensor([ True, False])
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Return where `value` is valid: a bool for each event."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__[1:] + "()"


class _Dependent(Constraint):
    """A region that depends on other parameters."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Return whether a region depends on other parameters, so that it cannot be checked alone.

    Args:
        constraint: A constraint, or a property of a class that gives one.

    Example:
        >>> from gpukit.distributions import constraints
        >>> constraints.is_dependent(constraints.real)
        False
    """
    return isinstance(constraint, (_Dependent, property))


class _IndependentConstraint(Constraint):
    """A constraint of which the last dimensions count as one event."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        valid = self.base_constraint.check(value)
        dims = self.reinterpreted_batch_ndims
        if valid.ndim < dims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return valid.reshape(*valid.shape[: valid.ndim - dims], -1).all(-1) if dims else valid

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"
        )


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        return value == value  # noqa: PLR0124 (False for NaN)


class _Bounded(Constraint):
    """Between bounds, which may be tensors; its text names those that it has."""

    _shown: tuple[str, ...] = ("lower_bound", "upper_bound")

    def __init__(self, *bounds: Any) -> None:
        for name, bound in zip(self._shown, bounds, strict=True):
            setattr(self, name, bound)

    lower_bound: Any
    upper_bound: Any

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)
        return f"{type(self).__name__[1:]}({bounds})"


class _IntegerInterval(_Bounded):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)  # type: ignore[no-any-return]


class _IntegerGreaterThan(_Bounded):
    is_discrete = True
    _shown = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)  # type: ignore[no-any-return]


class _GreaterThan(_Bounded):
    _shown = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value  # type: ignore[no-any-return]


class _GreaterThanEq(_Bounded):
    _shown = ("lower_bound",)

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value  # type: ignore[no-any-return]


class _LessThan(_Bounded):
    _shown = ("upper_bound",)

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound  # type: ignore[no-any-return]


class _Interval(_Bounded):
    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)  # type: ignore[no-any-return]


class _HalfOpenInterval(_Bounded):
    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)  # type: ignore[no-any-return]


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < _SUM_TOLERANCE)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: int) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).all((-2, -1))


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """The Cholesky factor of a matrix of correlations: its rows have the length 1."""

    def check(self, value: Tensor) -> Tensor:
        far = (value.square().sum(-1) - 1).abs()
        near = far <= 10 * value.shape[-1] * finfo(value.dtype).eps
        return super().check(value) & near.all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        same = value.shape[-2] == value.shape[-1]
        return _core.full(value.shape[:-2], same, dtype=_core.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Tensor:
        found = super().check(value)
        if value.shape[-2] != value.shape[-1]:
            return found
        return ((value - value.mT).abs() <= 1e-6).all((-2, -1))


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        found = super().check(value)
        if not bool(found.all()):
            return found
        return (_core.linalg_eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        found = super().check(value)
        if not bool(found.all()):
            return found
        return _core.linalg_cholesky_ex(value)[1] == 0


class _Parts(Constraint):
    """Constraints side by side along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(each, Constraint) for each in self.cseq):
            raise ArgumentError(
                f"{type(self).__name__[1:].lower()}: cseq must have constraints only"
            )
        self.is_discrete = any(each.is_discrete for each in self.cseq)
        self.event_dim = max([each.event_dim for each in self.cseq], default=0)


class _Cat(_Parts):
    """Of neighbouring pieces of a value, each of its length."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise ArgumentError(
                f"cat: lengths has {len(self.lengths)} numbers for {len(self.cseq)} constraints; "
                "give one for each"
            )

    def check(self, value: Tensor) -> Tensor:
        found, start = [], 0
        for each, length in zip(self.cseq, self.lengths, strict=True):
            found.append(each.check(value.narrow(self.dim, start, length)))
            start += length
        return _core.cat(found, self.dim)


class _Stack(_Parts):
    """Of the slices of a value, one each."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__(cseq, dim)
        if self.dim + self.event_dim < 0:
            self.event_dim += 1

    def check(self, value: Tensor) -> Tensor:
        found = [each.check(value.select(self.dim, at)) for at, each in enumerate(self.cseq)]
        return _core.stack(found, self.dim)


dependent = _Dependent()
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_cholesky = _LowerCholesky()
lower_triangular = _LowerTriangular()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack

__getattr__ = module_getattr(__name__)

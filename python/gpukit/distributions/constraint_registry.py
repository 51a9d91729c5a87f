"""Which transform gives values of a constraint from any numbers: `biject_to`, `transform_to`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.distributions import constraints, transforms
from gpukit.distributions.constraints import Constraint
from gpukit.distributions.transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """A table from classes of constraints to functions that make a transform for one.

    Example:
        >>> import gpukit
        >>> from gpukit.distributions import constraints, transform_to
        >>> transform_to(constraints.greater_than(2.0))(gpukit.zeros(1))
        tensor([3.])
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Enter the function that makes transforms for a class of constraints.

        Args:
            constraint: A class of constraints, or a constraint of it.
            factory: The function, which is given the constraint; None returns a decorator for it.

        Raises:
            TypeError: constraint is something else.
        """
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        """Return a transform whose values satisfy a constraint.

        Args:
            constraint: The constraint.

        Raises:
            NotImplementedError: There is no such transform.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
biject_to.__doc__ = """Return a bijection from any numbers to values of a constraint.

Args:
    constraint: The constraint.

Raises:
    NotImplementedError: There is none.

Example:
    >>> import gpukit
    >>> from gpukit.distributions import biject_to, constraints
    >>> biject_to(constraints.simplex)(gpukit.zeros(1))
    tensor([0.5000, 0.5000])
"""
transform_to = ConstraintRegistry()
transform_to.__doc__ = """Return a transform from any numbers to values of a constraint.

It need not be a bijection: what an optimizer moves may have more numbers than needed.

Args:
    constraint: The constraint.

Raises:
    NotImplementedError: There is no such transform.

Example:
    >>> import gpukit
    >>> from gpukit.distributions import constraints, transform_to
    >>> transform_to(constraints.simplex)(gpukit.zeros(2))
    tensor([0.5000, 0.5000])
"""


def _both(*kinds: Any) -> Callable[[Factory], Factory]:
    def register(factory: Factory) -> Factory:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return register


@_both(constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any) -> Transform:
    moved = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


@_both(constraints.less_than)
def _to_less_than(constraint: Any) -> Transform:
    moved = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), moved])


@_both(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    numbers = not isinstance(low, Tensor) and not isinstance(high, Tensor)
    if numbers and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    moved = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), moved])


def _always(make: Callable[[], Transform]) -> Factory:
    return lambda _constraint: make()


_both(constraints.real)(_always(lambda: transforms.identity_transform))
_both(constraints.corr_cholesky)(_always(transforms.CorrCholeskyTransform))
biject_to.register(constraints.simplex, _always(transforms.StickBreakingTransform))
transform_to.register(constraints.simplex, _always(transforms.SoftmaxTransform))
transform_to.register(constraints.lower_cholesky, _always(transforms.LowerCholeskyTransform))
for _matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrices, _always(transforms.PositiveDefiniteTransform))


def _by_parts(registry: ConstraintRegistry) -> None:
    """Enter the constraints that are made of others."""

    def independent(constraint: Any) -> Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    def cat(constraint: Any) -> Transform:
        parts = [registry(part) for part in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    def stack(constraint: Any) -> Transform:
        return transforms.StackTransform(
            [registry(part) for part in constraint.cseq], constraint.dim
        )

    registry.register(constraints.independent, independent)
    registry.register(constraints.cat, cat)
    registry.register(constraints.stack, stack)


_by_parts(biject_to)
_by_parts(transform_to)

__getattr__ = module_getattr(__name__)

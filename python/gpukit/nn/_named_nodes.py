"""Names of torch for nodes: a function made of parts gives its result the name of the whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from gpukit import _core

P = ParamSpec("P")
T = TypeVar("T")


def names_node(name: str | Callable[..., str]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function whose result's `grad_fn` is called `name`, which may follow from input.

    A result that is an argument itself, changed in place, keeps the name that it has.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def named(*args: P.args, **kwargs: P.kwargs) -> T:
            result: T = function(*args, **kwargs)
            if not getattr(result, "requires_grad", False):
                return result
            values: tuple[Any, ...] = (*args, *kwargs.values())
            called = name if isinstance(name, str) else name(*args, **kwargs)
            named_result: T = _core.name_nodes(called, result, *values)
            return named_result

        return named

    return decorated

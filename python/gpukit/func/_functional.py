"""functionalize, which changes nothing here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit.errors import ArgumentError


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return `func`: here operators in place need no rewriting.

    torch gives a function with the same results, whose trace has no operator in place. A chain of
    `gpukit.compile` has none in any case.

    Args:
        func: Any function.
        remove: 'mutations' or 'mutations_and_views'.

    Raises:
        ValueError: remove is another one.

    Example:
        >>> import gpukit
        >>> gpukit.func.functionalize(lambda x: x.clone().add_(1))(gpukit.zeros(2))
        tensor([1., 1.])
    """
    if remove not in {"mutations", "mutations_and_views"}:
        raise ArgumentError(
            f"functionalize: remove must be 'mutations' or 'mutations_and_views', got {remove!r}"
        )
    return func

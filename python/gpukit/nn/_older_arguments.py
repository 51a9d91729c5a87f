"""size_average and reduce of losses: what torch had before `reduction`."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def with_older_arguments(function: F) -> F:
    """Take size_average and reduce too, by name, and a bool for reduction, as size_average."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(*args: Any, **arguments: Any) -> Any:
        older = {name: arguments.pop(name, None) for name in ("size_average", "reduce")}
        place = names.index("reduction")
        if isinstance(arguments.get("reduction"), bool):
            older["size_average"] = arguments.pop("reduction")
        elif len(args) > place and isinstance(args[place], bool):
            older["size_average"], args = args[place], args[:place]
        if any(value is not None for value in older.values()):
            arguments["reduction"] = _reduction(**older)
        return function(*args, **arguments)

    wrapper.earlier_names = {"size_average", "reduce"}  # type: ignore[attr-defined]
    return cast("F", wrapper)


def _reduction(size_average: bool | None, reduce: bool | None) -> str:
    if reduce is not None and not reduce:
        reduction = "none"
    else:
        reduction = "mean" if size_average is None or size_average else "sum"
    warnings.warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{reduction}' instead.",
        stacklevel=3,
    )
    return reduction

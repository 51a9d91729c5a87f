"""Arguments under the names that they had in earlier versions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[F], F]:
    """Take arguments by their earlier names too: `renamed(d="device")` for one that was `d`."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **arguments: Any) -> Any:
            for earlier, name in names.items() if arguments else ():
                if earlier in arguments and name not in arguments:
                    arguments[name] = arguments.pop(earlier)
            return function(*args, **arguments)

        wrapper.earlier_names = set(names)  # type: ignore[attr-defined]
        return cast("F", wrapper)

    return decorate

"""record_function: a name for a part of the program."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from gpukit.profiler.recorder import recorders

if TYPE_CHECKING:
    from typing_extensions import Self

    from gpukit.profiler.calls import Call
    from gpukit.profiler.recorder import Recorder

P = ParamSpec("P")
R = TypeVar("R")


class record_function:
    """Name a part of the program in profiles: a context manager or a decorator.

    Outside of a profile it does nothing.

    Args:
        name: What tables and traces show.
        args: More text, shown after the name.

    Raises:
        TypeError: `name` or `args` is not a str.

    Example:
        >>> import gpukit
        >>> from gpukit.profiler import profile, record_function
        >>> with profile() as p, record_function("twice"):
        ...     y = gpukit.ones(3) * 2
        >>> [event.name for event in p.events()][0]
        'twice'
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"record_function: name must be a str, got {type(name).__name__}")
        if args is not None and not isinstance(args, str):
            raise TypeError(f"record_function: args must be a str, got {type(args).__name__}")
        self.name = name
        self.args = args
        self._opened: list[list[tuple[Recorder, Call]]] = []

    def __enter__(self) -> Self:
        name = self.name if self.args is None else f"{self.name}: {self.args}"
        frame = sys._getframe(1)  # noqa: SLF001
        self._opened.append([(each, each.open_range(name, frame)) for each in recorders()])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for recorder, call in self._opened.pop():
            if recorder in recorders():
                recorder.close_range(call)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function with each of its calls as a range."""

        @functools.wraps(function)
        def named(*args: P.args, **keywords: P.kwargs) -> R:
            with type(self)(self.name, self.args):
                return function(*args, **keywords)

        return named

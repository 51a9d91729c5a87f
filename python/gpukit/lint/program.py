"""A parsed file as rules see it: its text, and what each expression holds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gpukit.lint.nodes import receiver
from gpukit.lint.reading import Source
from gpukit.lint.text import Text
from gpukit.lint.values import Reader, Value

Made = TypeVar("Made")


class Program(Text):
    """One file and the queries that rules make."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        reader = Reader(self)
        self.value = reader.value
        self.tensors = reader.tensors
        self._device_of = reader.device_of
        self._made: dict[Callable[[Program], Any], Any] = {}

    def once(self, question: Callable[[Program], Made]) -> Made:
        """A property of the whole file, computed once."""
        if question not in self._made:
            self._made[question] = question(self)
        return self._made[question]  # type: ignore[no-any-return]

    def received(self, *names: str) -> Iterator[tuple[ast.Call, ast.expr, Value]]:
        """(call, x, what x holds) of each call `x.name(...)`, in the order of the text."""
        for call in self.methods(*names):
            of = receiver(call)
            if of is not None:
                yield call, of, self.value(of)

    def destination(self, call: ast.Call, value: Value) -> str | None:
        """Where `x.to(...)` moves what `value` says of x, also if it says nothing."""
        known = value.kind != "" or not call.args
        return self.value(call).device if known else self._device_of(call.args[0])

"""Why a function cannot be traced, and how its user learns of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from gpukit._compile.trace import Place
from gpukit.errors import CompileError, GpukitWarning


@dataclass(frozen=True)
class Fault:
    """What cannot be traced, and the line that does it if it is known."""

    reason: str
    place: Place | None

    def __str__(self) -> str:
        if self.place is None:
            return self.reason
        return f"{self.reason} ({self.place.file}, line {self.place.line})"


class UntraceableError(CompileError):
    """A function that `fullgraph=True` was asked of cannot be traced."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"compile: fullgraph=True, but {fault}")


def warn(name: str, fault: Fault) -> None:
    """One warning at the user's line."""
    text = f"gpukit.compile: {name} runs eagerly: {fault}"
    place = fault.place or Place("<unknown>", 0, name)
    warnings.warn_explicit(text, GpukitWarning, place.file, place.line)


def describe(value: Any) -> str:
    """The name that messages use for a function or module."""
    return getattr(value, "__qualname__", None) or type(value).__name__

"""The only reader of `os.environ` in Python; the table of variables is csrc/base/env.cpp."""

from __future__ import annotations

import os

_TRUE = ("1", "true", "yes", "on")


def text(name: str) -> str:
    """The value, or "" when the variable is unset."""
    return os.environ.get(name, "").strip()


def is_set(name: str) -> bool:
    """True when the variable is there, even when it is empty."""
    return name in os.environ


def flag(name: str) -> bool:
    """True for 1, true, yes and on."""
    return text(name).lower() in _TRUE


def child_environment(**changes: str) -> dict[str, str]:
    """This process's variables with changes, for a child process."""
    return {**os.environ, **changes}

"""The only reader of `os.environ` in Python; the table of variables is csrc/base/env.cpp."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in _device

if TYPE_CHECKING:
    from pathlib import Path

_TRUE = ("1", "true", "yes", "on")


def text(name: str) -> str:
    """The value, or "" when the variable is unset."""
    return os.environ.get(name, "").strip()


def is_set(name: str) -> bool:
    """True if the variable is set, even to an empty string."""
    return name in os.environ


def flag(name: str) -> bool:
    """True for 1, true, yes and on."""
    return text(name).lower() in _TRUE


def set_all(**values: str) -> None:
    """Set variables of this process: what scripts and children read."""
    os.environ.update(values)


def for_child(first_on_path: Path, **changes: str) -> dict[str, str]:
    """The variables for a child process: changed ones, and a folder in front of PATH."""
    path = os.pathsep.join((str(first_on_path), os.environ.get("PATH", os.defpath)))
    return {**os.environ, **changes, "PATH": path}


def all_variables() -> dict[str, str]:
    """Every variable: evidence for the doctor, which shows only what a finding is about."""
    return dict(os.environ)

"""Module paths of version 0.1, when a function hid the module of its name."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def keep_paths(package: str, names: Iterable[str]) -> None:
    """Make `package.name` importable, whose module is now `package._name`."""
    for name in names:
        module = sys.modules.get(f"{package}._{name}")
        if module is not None:
            sys.modules[f"{package}.{name}"] = module

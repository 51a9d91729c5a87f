"""Paths of version 0.1, when a module had the name of its function and was hidden by it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def keep_paths(package: str, names: Iterable[str]) -> None:
    """Lets `package.name` be imported where the module is called `package._name` now."""
    for name in names:
        module = sys.modules.get(f"{package}._{name}")
        if module is not None:
            sys.modules[f"{package}.{name}"] = module

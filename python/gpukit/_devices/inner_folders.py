"""Where the user's own lines are not looked for."""

from __future__ import annotations

import os
import sys

from gpukit import _core

_named: list[tuple[object, ...]] = []


def name_inner_folders() -> None:
    """Say where those lines are not: in gpukit and, if loaded, IPython."""
    modules = tuple(sys.modules.get(name) for name in ("gpukit", "IPython", "ipykernel"))
    if _named == [modules]:
        return
    files = [getattr(module, "__file__", None) for module in modules]
    _core.set_inner_folders([os.path.dirname(file) + "/" for file in files if file])  # noqa: PTH120 (pathlib takes milliseconds to import)
    _named[:] = [modules]

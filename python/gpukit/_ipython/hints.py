"""Suggestions in IPython's tracebacks, which omit the hint that Python's own tracebacks print.

`x.reshpae` ends in Python with "Did you mean: 'reshape'?"; Python works that out while it prints.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


def _is_from_gpukit(owner: Any) -> bool:
    """Whether an object or its class comes from gpukit."""
    return any(base.__module__.split(".")[0] == "gpukit" for base in type(owner).__mro__)


def _add_hint(error: AttributeError) -> None:
    name, owner = error.name, error.obj
    if not isinstance(name, str) or name.startswith("_") or not _is_from_gpukit(owner):
        return
    if vars(error).get("_gpukit_hint"):  # it was shown before
        return
    from gpukit._names.suggest import near

    if meant := near(name, [known for known in dir(owner) if known[0] != "_"]):
        error.args = (f"{error}. Did you mean: '{meant}'?",)
        vars(error)["_gpukit_hint"] = True


def _show(
    shell: Any,
    kind: type[BaseException],
    error: AttributeError,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> Any:
    """IPython's own traceback, with the hint."""
    _add_hint(error)
    handled, shell.custom_exceptions = shell.custom_exceptions, ()
    try:
        return shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    finally:
        shell.custom_exceptions = handled


def install() -> None:
    """Show hints in the IPython that runs, unless it has a handler already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((AttributeError,), _show)

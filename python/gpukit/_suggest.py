"""Near names for mistyped ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from gpukit import _core


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped one was probably meant to be, or None."""
    names = list(known)
    slip = _core.nearest_name(name, names)
    if slip:
        return slip
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, names, 1, 0.75)), None)


# Names of torch that gpukit does not have and never will.
_NEVER = {"amp", "compile", "distributed", "export", "fx", "hub", "jit", "onnx", "quantization"}


def _known_absence(module: str, name: str) -> str | None:
    if module != "gpukit" or name not in _NEVER:
        return None
    return f"gpukit has no '{name}': it is not part of gpukit; see docs/limits."


def no_attribute(module: str, name: str) -> NoReturn:
    """Raise the AttributeError of a public module, with the near name if there is one."""
    found = sys.modules[module]
    if absence := _known_absence(module, name):
        raise AttributeError(absence, name=name, obj=found)
    meant = None if name.startswith("_") else near(name, [n for n in dir(found) if n[0] != "_"])
    hint = f" Did you mean '{meant}'?" if meant else ""
    raise AttributeError(f"{module} has no '{name}'.{hint}", name=name, obj=found)


def module_getattr(module: str) -> Callable[[str], Any]:
    """A `__getattr__` for a public module without lazy names."""

    def getattr_(name: str) -> Any:
        no_attribute(module, name)

    return getattr_

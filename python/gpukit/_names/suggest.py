"""Near names for mistyped ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from gpukit import _core


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped one was probably meant to be, or None."""
    if not name.isprintable():  # the extension does not accept a lone surrogate as text
        return None
    names = list(known)
    slip = _core.nearest_name(name, names)
    if slip:
        return slip
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, names, 1, 0.75)), None)


def no_attribute(module: str, name: str) -> NoReturn:
    """Raise the AttributeError of a public module, with the nearest name if there is one."""
    found = sys.modules[module]
    if name.startswith("_"):  # also asked by `from gpukit import _module`, before it is imported
        raise AttributeError(f"{module} has no '{name}'.", name=name, obj=found)
    from gpukit._names.absent import in_numpy, instead

    if advice := instead(module, name):
        raise AttributeError(f"{module} has no '{name}': {advice}", name=name, obj=found)
    meant = near(name, [n for n in dir(found) if n[0] != "_"])
    hint = f" Did you mean '{meant}'?" if meant else ""
    if module == "gpukit" and (advice := in_numpy(name)):
        hint += f" {advice}"
    raise AttributeError(f"{module} has no '{name}'.{hint}", name=name, obj=found)


def module_getattr(module: str) -> Callable[[str], Any]:
    """A `__getattr__` for a public module without lazy names."""

    def getattr_(name: str) -> Any:
        no_attribute(module, name)

    return getattr_


def refuse_torch_function(function: Any, *_: Any) -> NoReturn:
    """Raise the TypeError of a torch function that was given a gpukit tensor."""
    called = getattr(function, "__name__", str(function)).strip("_")
    module = getattr(function, "__module__", None) or "torch"
    where = module if module.startswith("torch") and "._" not in module else "torch"
    raise TypeError(
        f"{where}.{called} is torch's and was given a gpukit.Tensor. Replace a left-over import of "
        "torch ('from gpukit import nn'), or share the memory by torch.from_dlpack(x)."
    )
